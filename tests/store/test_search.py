"""Search: what is found, in which order, and that the index follows the record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.model import Channel, Facts
from memd.store import Seed, Store, words

from .builders import NOW, ONE, TOOL, TWO, commit, message

DAY = 86_400_000
LATE = 1_900_000_000_000


def found(store, query, **filters):
    return [(hit.session, hit.number) for hit in store.search(query, now=filters.pop("now", NOW), **filters)]


def numbers(store, query, **filters):
    return sorted(number for _, number in found(store, query, **filters))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("search") / "memd.db"


@pytest.fixture
def texts(store):
    commit(
        store,
        message("a", text="The retry loop in fetch_page() waits 2 s."),
        message("b", text="数据库用SQLite存储,不要用文件。"),
        message("c", text="loop: retry the fetch page Größe café"),
        message("d", text='AND OR NOT NEAR(a b) foo* col:x "quoted" ^y + - {z}'),
        message("e", text="検索はカタカナと漢字、그리고 한국어도 됩니다"),
        message("f", text="𠀀𠀁 is beyond the basic plane"),
    )
    return store


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("retry", [1, 3]),
        ("RETRY Loop", [1, 3]),
        ("retry waits", [1]),
        ("retry absent", []),
        ('"retry loop"', [1]),
        ('"loop retry"', [3]),
        ("fetch_page", [1, 3]),
        ("fetch_page(", [1, 3]),
        ("grosse", []),
        ("grÖße cafe", [3]),
        ("数据", [2]),
        ("据库", [2]),
        ("库数", []),
        ("SQLite存储", [2]),
        ("sqlite", [2]),
        ('"不要用文件"', [2]),
        ("文件 数据库", [2]),
        ("カタカナ", [5]),
        ("タカ", [5]),
        ("한국", [5]),
        ("𠀀", [6]),
        ("NOT", [4]),
        ("near", [4]),
        ("AND OR", [4]),
        ("foo*", [4]),
        ("col:x", [4]),
        ("wait*", []),
        ('"', []),
        ('"retry', [1, 3]),
        ('""', []),
        ("(", []),
        ("- retry", [1, 3]),
        ("foo(", [4]),
        ("", []),
        ("%_", []),
        ("\0", []),
    ],
)
def test_a_query_finds(texts, query, expected):
    """Words are joined by and, phrases stay phrases, signs and operators mean nothing, Han needs no spaces."""
    assert numbers(texts, query) == expected


@given(st.text("ab\"'()*:^+-{}. \0中ANDORT", max_size=30))
def test_no_query_is_an_error(place, query):
    """Whatever a person types is looked for."""
    with Store.open(place) as store:
        store.search(query, now=NOW)


def test_every_chinese_run_of_a_text_is_found(store):
    """Whichever characters one remembers, from one to all."""
    text = "压缩之后把检查点还给代理"
    commit(store, message("a", text=text))
    runs = {text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    assert [run for run in runs if numbers(store, run) != [1]] == []


def test_age_halves_a_match_after_a_month(store):
    """The same words count half after 30 days, a third after 60; a better match may still come before a newer one."""
    ages = {"new": 0, "month": 30, "older": 60}
    commit(store, *(message(key, LATE - days * DAY, text="the needle here") for key, days in ages.items()))
    hits = store.search("needle", now=LATE)
    assert [hit.number for hit in hits] == [1, 2, 3]
    assert [round(hits[0].score / hit.score, 6) for hit in hits] == [1, 2, 3]

    commit(store, message("best", LATE - 5 * DAY, text="needle needle needle"), *(message(f"x{n}") for n in range(50)))
    assert store.search("needle", now=LATE)[0].number == 4


def test_a_time_that_is_unknown_or_to_come_is_no_age(store):
    """A row without a time is as old as its session; a clock that runs ahead makes nobody younger than new."""
    commit(store, message("a", LATE, text="needle"), message("b", None, text="needle"))
    commit(store, message("c", LATE + DAY, text="needle"), seed=TWO)
    assert len({hit.score for hit in store.search("needle", now=LATE)}) == 1


def test_filters(store):
    """By session with its sub-agents, by channel, so many; a copy is found once, or where it is asked for."""
    child = Seed(f"{ONE.session}/agent", TOOL, "agent", ONE.session, "/transcripts/agent.jsonl")
    commit(store, message("a", text="needle"), message("b", text="needle", channel=Channel.AGENT_TEXT))
    commit(store, message("c", text="needle"), seed=child)
    commit(store, Facts(forked_from=ONE.session), message("a", text="needle"), message("d", text="needle"), seed=TWO)
    everything = {(ONE.session, 1), (ONE.session, 2), (child.session, 1), (TWO.session, 2)}
    assert set(found(store, "needle")) == everything
    assert set(found(store, "needle", session=ONE.session)) == everything - {(TWO.session, 2)}
    assert set(found(store, "needle", session=TWO.session)) == {(TWO.session, 1), (TWO.session, 2)}
    assert found(store, "needle", channels={Channel.AGENT_TEXT}) == [(ONE.session, 2)]
    assert len(found(store, "needle", limit=3)) == 3


def test_a_hit_shows_where_its_words_stand(texts):
    """The marks cut exactly the words out of the snippet, in every script, case and accent as in the text."""

    def marked(query):
        (hit,) = texts.search(query, now=NOW, limit=1)
        return [hit.snippet[first:last] for first, last in hit.marks]

    assert marked("WAITS loop") == ["loop", "waits"]
    assert marked('"fetch page" waits') == ["fetch_page", "waits"]
    assert marked("存储 sqlite") == ["SQLite", "存储"]
    assert marked("cafe größe") == ["Größe", "café"]
    assert marked("a near") == ["NEAR", "a"]


def test_a_snippet_of_a_long_text_is_around_its_hits():
    """It is cut on both sides, on one line, where most of the terms are together."""
    text = "needle " + "x " * 500 + "here\nis the needle with the thread " + "y " * 500
    snippet, marks = words.around(text, words.places(text, ["needle", "thread"]), 100)
    assert (snippet[0], snippet[-1], "\n" in snippet) == ("…", "…", False)
    assert [snippet[a:b] for a, b in marks] == ["needle", "thread"]
    assert len(snippet) == 102


def test_the_index_follows_every_commit(store):
    """A message is found as soon as it is recorded; one that was read before is not indexed twice."""
    commit(store, message("a", text="first"))
    commit(store, message("a", text="first"), message("b", text="second"))
    assert numbers(store, "first") == [1]
    assert numbers(store, "second") == [2]
    sql = store._db._connection
    sql.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, instance)")
    assert sql.execute("SELECT term, count(*) FROM vocabulary GROUP BY term").fetchall() == [
        ("first", 1),
        ("second", 1),
    ]


def test_a_failed_commit_is_not_found(store):
    """The index is part of the transaction."""
    with pytest.raises(TypeError):
        commit(store, message("a", text="needle"), message("b", extra={"bad": object()}))
    assert numbers(store, "needle") == []


@given(st.text("aB中カ한 _-é\n😀", max_size=40))
def test_the_index_takes_back_what_it_was_given(text):
    """How a text is cut into words is the same for ever: this is what older records were indexed with."""
    assert words.spaced(text).replace(" ", "") == text.replace(" ", "")


def test_the_cutting_is_pinned():
    """`spaced` decides what is in people's files."""
    assert words.spaced("a中文b ガな한ㄱ々〇𠀀é_1") == "a 中  文 b  ガ  な  한  ㄱ  々  〇  𠀀 é_1"


def test_each_letter_of_scripts_without_spaces_is_a_word():
    """All of them are told from other letters by the first byte of their UTF-8; signs such as the cut's are none."""
    ends = [*words._ALONE.replace("-", "")]
    assert [words.spaced(f"a{letter}b") for letter in ends] == [f"a {letter} b" for letter in ends]
    every = [
        chr(code) for first, last in zip(ends[::2], ends[1::2], strict=True) for code in range(ord(first), ord(last))
    ]
    assert {letter.encode()[0] for letter in every} <= set(words._LEADING)
    assert words.spaced("cut … – café") == "cut … – café"
