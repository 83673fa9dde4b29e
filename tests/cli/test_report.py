"""`memd report` as a person has it: the table, the object, the page, and what there is nothing to say of."""

import json
import re
import sqlite3
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console
from transcript import Transcript

from memd import config
from memd.cli import report_table
from memd.cli.common import reading
from memd.cli.report import Report
from memd.daemon.hindsight import Hindsight
from memd.report.breaks import KINDS as BREAKS
from memd.report.needs import KINDS

ONE, TWO = "5d1f0c1e-0000-4000-8000-000000000001", "5d1f0c1e-0000-4000-8000-000000000002"


def played(path, *, given="", title=None, at=1_795_990_000):
    """A session in which one path, one name, one command and one file are used again after a compaction."""
    story = Transcript(path, at=at)
    story.typed("Make the gateway in conf/gateway.toml survive a restart. Do not touch migrations/.")
    for n in range(4):
        story.uses("Edit", file_path=f"/srv/work/src/part_{n}.py", old_string="", new_string=f"retry_limit_{n} = {n}")
        story.runs(f"make check PART={n}", "12 passed")
    story.uses("Read", "port = 1", file_path="/srv/work/conf/gateway.toml")
    for n in range(3):
        story.runs(f"true {n}")
    story.says("Set retry_limit_3; next is src/part_1.py.")
    story.compacts(summary="It was about retry_limit_3.")
    if given:
        story.injected(given)
    story.runs("make check PART=2")
    story.uses("Read", "port = 1", file_path="/srv/work/conf/gateway.toml")
    story.uses("Edit", file_path="/srv/work/migrations/0007.sql", old_string="a", new_string="b")
    story.says("Changed retry_limit_3 for src/part_0.py.")
    if title is not None:
        story.row(type="ai-title", aiTitle=title)
    return story


@pytest.fixture
def one(call, tmp_path):
    """Its record, and where its transcript is."""
    story = played(tmp_path / "projects" / "-srv-work" / f"{ONE}.jsonl")
    assert call("ingest", story.path)[0] == 0
    return story.path


def told(call, *words):
    code, out, err = call("report", *words, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_object_has_each_figure(call, one):
    """Needs by kind and what each text has of them; breaks after the compaction, and before it."""
    found = told(call, ONE)
    (session,) = found["sessions"]
    (compaction,) = session["compactions"]
    assert (session["session"], session["known_from"], found["older"]) == (f"claude-code:{ONE}", "transcript", 0)
    needed = dict.fromkeys(KINDS, 0) | {"paths": 2, "names": 1, "commands": 1, "person": 2}
    assert compaction["needed"] == needed
    assert (compaction["memd"]["how"], compaction["memd"]["checkpoint"]) == ("computed", None)
    assert compaction["memd"]["found"]["commands"] == 1
    assert (compaction["summary"]["found"], compaction["summary"]["mean"]) == (
        dict.fromkeys(KINDS, 0) | {"names": 1},
        0.25,
    )
    assert compaction["both"]["size"] > compaction["memd"]["size"] > 100
    assert [(one["place"], one["kind"], one["what"]) for one in compaction["breaks"]] == [
        ("after", "reread", "conf/gateway.toml"),
        ("after", "against", "migrations/0007.sql"),
    ]
    assert compaction["calls"] == 3
    assert found["overall"]["breaks"]["against"] == {"after": 1, "control": 0}
    assert found["overall"]["summary"]["mean"] == 0.25
    assert [fill["tokens"] for fill in session["context"]] == [9_000] * len(session["context"])


def test_a_pipe_gets_plain_columns(call, one):
    """Coverage, an empty line, breaks; every row has all columns, and nothing is coloured or cut."""
    code, out, _ = call("report")
    coverage, breaks = (block.splitlines() for block in out.split("\n\n"))
    assert code == 0
    assert "\x1b" not in out
    assert coverage[0].split() == ["SESSION", "COMPACTION", "AFTER", "TEXT", "TOKENS", *map(str.upper, KINDS), "MEAN"]
    assert [line.split()[3] for line in coverage[1:]] == ["memd:computed", "summary", "both", "memd", "summary", "both"]
    assert coverage[2].split()[4:] == ["8", "0.000", "1.000", "-", "0.000", "0.000", "-", "0.250"]
    assert breaks[0].split() == ["SESSION", "COMPACTION", "PLACE", "CALLS", *map(str.upper, BREAKS)]
    assert breaks[1].split() == [f"claude-code:{ONE}", "1", "after", "3", "1", "0", "0", "0", "1"]
    assert breaks[2].split() == [f"claude-code:{ONE}", "1", "control", "3", "0", "0", "0", "0", "0"]
    assert {len(line.split()) for line in coverage} == {12}
    assert {len(line.split()) for line in breaks} == {9}


def test_what_was_given_is_measured_where_the_transcript_has_it(call, tmp_path):
    """By memd's own marks, all parts of it, and not what would be made now."""
    text = "memd checkpoint 1, part 1 of 1\nsrc/part_0.py\nmemd checkpoint 1 of claude-code:x ends here; receipt ABC123"
    story = played(tmp_path / "projects" / "-srv-work" / f"{ONE}.jsonl", given=text)
    call("ingest", story.path)
    ((compaction,),) = [session["compactions"] for session in told(call)["sessions"]]
    assert (compaction["memd"]["how"], compaction["memd"]["checkpoint"]) == ("given", 1)
    assert compaction["memd"]["found"] == dict.fromkeys(KINDS, 0) | {"paths": 1}


def test_a_transcript_that_is_gone_is_told_of(call, one):
    """The record answers alone then; what only the file had is not known any more, and that is said."""
    before = told(call)["sessions"][0]["compactions"]
    one.unlink()
    found = told(call)["sessions"][0]
    assert (found["known_from"], found["compactions"]) == ("record", before)
    code, out, err = call("report")
    assert (code, err) == (0, "")
    note = f"claude-code:{ONE}: its transcript is gone: what was known before is taken from the record"
    assert note in out.splitlines()


def test_a_long_answer_shows_all_of_itself(call, tmp_path):
    """The record keeps some of it; what the transcript's row had was shown all the same, as long as it is there."""
    story = played(tmp_path / "projects" / "-srv-work" / f"{ONE}.jsonl")
    story.runs("make list", "\n".join(f"line {n}" for n in range(900)) + " retry_limit_2 " + "x " * 4_000)
    story.says("So it is retry_limit_2 and retry_limit_1.")
    call("ingest", story.path)
    needed = [session["compactions"][0]["needed"] for session in told(call)["sessions"]]
    assert [one["names"] for one in needed] == [2]


def test_without_a_compaction_there_is_nothing_to_report(call, tmp_path):
    """One line and exit 1 for a person, an empty list for a program."""
    Transcript(tmp_path / "projects" / "-srv-work" / f"{TWO}.jsonl").turn("Hello there, my friend")
    code, out, err = call("report")
    assert (code, out, err.count("\n")) == (1, "", 1)
    call("ingest", tmp_path / "projects")
    line = "memd: no session was compacted yet: there is nothing to report\n"
    assert call("report") == call("report", "--html", tmp_path / "r.html") == (1, "", line)
    assert call("report", TWO) == (
        1,
        "",
        f"memd: claude-code:{TWO}: not compacted yet, so there is nothing to report\n",
    )
    assert told(call)["sessions"] == []
    assert told(call)["overall"]["memd"] is None
    assert [one["compactions"] for one in told(call, TWO)["sessions"]] == [[]]
    assert call("report", "nothing")[0] == 1


def test_sessions_that_are_named_are_shown_in_that_order(call, one, tmp_path):
    """Each once; one without a compaction says so beside the others."""
    Transcript(tmp_path / "projects" / "-srv-work" / f"{TWO}.jsonl").turn("Hello there, my friend")
    call("ingest", tmp_path / "projects")
    assert [s["session"][-1] for s in told(call, TWO, ONE, TWO)["sessions"]] == ["2", "1"]
    assert f"claude-code:{TWO}: not compacted yet, so there is nothing to report" in call("report", TWO, ONE)[1]


def test_without_a_name_this_directorys_sessions_come_first(call, one, tmp_path, monkeypatch):
    """Those that were compacted; elsewhere all that were; the newest 20, and how many more there are."""
    other = played(tmp_path / "projects" / "-srv-other" / f"{TWO}.jsonl", at=1_795_980_000)
    other.path.write_text(other.path.read_text().replace("/srv/work", str(tmp_path)))
    call("ingest", other.path)
    assert [s["session"][-1] for s in told(call)["sessions"]] == ["2"]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert [s["session"][-1] for s in told(call)["sessions"]] == ["1", "2"]
    monkeypatch.setattr("memd.cli.report.MOST", 1)
    assert (len(told(call)["sessions"]), told(call)["older"]) == (1, 1)
    assert call("report")[1].endswith("\nand 1 older compacted sessions: name them to see them\n")


def test_a_fork_or_a_sub_agent_has_no_text_of_its_own(call, tmp_path):
    """Of a sub-agent memd keeps no checkpoint: its needs and breaks are told without one."""
    path = tmp_path / "projects" / "-srv-work" / ONE / "subagents" / "agent-a1.jsonl"
    story = Transcript(path, session=ONE, agentId="a1", isSidechain=True)
    story.says("Start with src/part_1.py.")
    story.compacts()
    story.says("Went on with src/part_1.py.")
    call("ingest", path)
    (compaction,) = told(call, f"{ONE}/a1")["sessions"][0]["compactions"]
    assert (compaction["memd"], compaction["both"], compaction["needed"]["paths"]) == (None, None, 1)
    assert call("report", f"{ONE}/a1", "--html", tmp_path / "r.html")[0] == 0


# The page.


class Page(HTMLParser):
    """What a browser makes of it: tags in order, text, and what would be fetched or run."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts, self.asks = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in {"meta", "br"}:
            self.open.append(tag)
        self.asks += [
            (tag, name) for name, _ in attributes if name in {"src", "href", "srcset", "data"} or name.startswith("on")
        ]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def page(call, tmp_path, *words):
    code, out, err = call("report", *words, "--html", tmp_path / "report.html")
    assert (code, out, err.count("\n")) == (0, "", 1)
    return (tmp_path / "report.html").read_text("utf-8")


def test_the_page_has_all_of_it_and_needs_nothing_else(call, one, tmp_path):
    """Chart, coverage and breaks; no script, nothing from a network, made for phones and for the dark."""
    text = page(call, tmp_path)
    found = Page(text)
    assert found.open == []
    assert (found.asks, "script" in found.tags, "url(" in text, "@import" in text) == ([], False, False, False)
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text
    assert "default-src 'none'; style-src 'unsafe-inline'" in text
    assert "prefers-color-scheme: dark" in text
    assert found.tags.count("svg") == 2
    words = "".join(found.texts)
    for expected in (
        "Context use",
        "Compaction 1",
        "unchanged files read again",
        "migrations/0007.sql",
        "3 in as many",
    ):
        assert expected.replace("3 in", "0 in") in words
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o600


HOSTILE = '</title></style></script><script>alert(1)</script><img src=x onerror="alert(1)">&amp;\x1b[31m\u202e\x00'


def test_no_text_of_a_session_becomes_markup(call, tmp_path):
    """Titles, directories, paths and commands are shown as they are and do nothing."""
    story = played(tmp_path / "projects" / "-srv-work" / f"{ONE}.jsonl", title=HOSTILE)
    hostile = f"migrations/{HOSTILE}.sql"
    story.path.write_text(
        story.path.read_text()
        .replace("migrations/0007.sql", json.dumps(hostile)[1:-1])
        .replace("/srv/work", "/srv/<b>'work\\\"")
    )
    call("ingest", story.path)
    text = page(call, tmp_path)
    found = Page(text)
    assert found.open == []
    assert (found.asks, {"script", "img", "b" if "<b>'" in text else "script"} & set(found.tags)) == ([], set())
    shown = "".join(found.texts)
    assert "<script>alert(1)</script>" in shown
    assert "/srv/<b>'work" in shown
    assert not set("\x1b\u202e\x00") & set(text)


def test_the_page_is_written_whole_or_not(call, one, tmp_path):
    """Where there is no room for it one line says so, with the name that the person gave."""
    page = tmp_path / "no" / "such" / "r.html"
    code, out, err = call("report", "--html", page)
    assert (code, out, err) == (1, "", f"memd: {page} cannot be written: No such file or directory\n")
    assert call("report", "--html", tmp_path)[0] == 2


def test_page_and_object_come_together(call, one, tmp_path):
    """Both may be wanted of one look."""
    code, out, _ = call("report", "--json", "--html", tmp_path / "r.html")
    assert (code, json.loads(out)["version"], (tmp_path / "r.html").exists()) == (0, 1, True)


# For eyes.


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_a_terminal_of_any_width_shows_the_same_figures(call, one, width):
    """A narrow one lists the kinds behind each other; no line is longer than it."""
    settings, places = config.load({})
    with reading(places) as store:
        *_, found = Hindsight(store, settings, places).report(store.session(f"claude-code:{ONE}"))
    console = Console(width=width, record=True, force_terminal=True)
    console.print(report_table.page(Report((found,)), width))
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= width
    flat = " ".join(text.split())
    for expected in (
        "compaction 1, manual",
        "the tool's summary",
        "25 %",
        "unchanged files read",
        "against what was said",
    ):
        assert expected in flat, text


def test_the_record_is_only_read(call, one):
    """Looking back changes nothing: not a row, not a file."""
    state = Path(one).parents[2]
    database = next(Path.home().rglob("memd.db"), None) or next(state.rglob("memd.db"))
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as sql:
        before = list(sql.iterdump())
    told(call)
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as sql:
        assert list(sql.iterdump()) == before


def test_help_says_which_sessions_are_meant(call):
    """The choice without a name is not to be guessed."""
    assert re.search(
        r"Without SESSION: the compacted sessions of this directory", " ".join(call("report", "--help")[1].split())
    )
