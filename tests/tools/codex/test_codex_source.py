"""How a transcript is read: plain, compressed, forked, migrated, archived; nothing lost and nothing doubled."""

import itertools
import json
import os
import shutil

import pytest
import zstandard
from codex_rows import THREAD, TOOL, begin, heard, item, meta

from memd import config
from memd.daemon.pipeline import Pipeline
from memd.errors import SourceUnreadable, StoreTrouble
from memd.tail.elide import CAPS
from memd.tools.codex import packed

FORK = "01a22988-7aea-7731-8d65-00000000000f"
SECOND = "01a22988-7aea-7731-8d65-00000000001f"


def lines(*rows, start=0):
    """Rows as they stand in a file, with their ordinals."""
    numbered = ({**row, "ordinal": start + number} for number, row in enumerate(rows))
    return b"".join(json.dumps(row).encode() + b"\n" for row in numbered)


def turn(text, ident):
    return begin(turn=ident), item(text, ident=f"msg_{ident}", turn=ident), heard(text, turn=ident)


SOURCE = (meta(), *turn("first", "t1"), *turn("second", "t2"))
ANSWER = item("answer", kind="unknown", provenance="", role="assistant", ident="a", content=[{"text": "answer"}])


def fork_of(thread, end, **about):
    base = {"history_base": {"thread_id": thread, "end_ordinal_exclusive": end, "end_byte_offset": 1}}
    return meta(forked_from_id=thread, forked_from_ordinal_exclusive=end, **base, **about)


class Home:
    """A client's folder."""

    def __init__(self, folder):
        self.folder = folder

    def file(self, thread, content, *, suffix="", under="sessions/2026/11/29"):
        path = self.folder / under / f"rollout-2026-11-29T22-58-59-{thread}.jsonl{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zstandard.compress(content) if suffix else content)
        return path


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "codex")


def drained(path, limit=400):
    """All that reading gives, a piece at a time, each from the cursor's text: the lines' data and the gaps."""
    data, gaps, cursor = [], [], None
    while True:
        batch = TOOL.read(path, cursor, limit, path)
        data += [line.data for line in batch.lines]
        gaps += [(gap.kind, gap.bytes) for gap in batch.gaps]
        if not batch.lines:
            return data, gaps, batch
        assert batch.cursor.offset < batch.size or cursor != batch.cursor.dumps()
        cursor = batch.cursor.dumps()


@pytest.mark.parametrize("suffix", ["", ".zst"])
@pytest.mark.parametrize("limit", [1, 300, 1 << 20])
def test_all_lines_once(home, suffix, limit):
    """Plain or compressed, whatever the step; offsets count the text's own bytes."""
    content = lines(*SOURCE)
    path = home.file(THREAD, content, suffix=suffix)
    found, gaps, last = drained(path, limit)
    assert (b"\n".join(found) + b"\n", gaps) == (content, [])
    assert (last.size, last.cursor.offset, last.restarted) == (len(content), len(content), False)


def test_a_line_without_its_newline_is_not_there_yet(home):
    """In a compressed file too."""
    path = home.file(THREAD, lines(*SOURCE) + b'{"type":', suffix=".zst")
    assert len(drained(path)[0]) == len(SOURCE)


def test_offsets_of_a_compressed_file_are_its_texts(home):
    """An entry's place can be found again in what decompressing gives."""
    content = lines(*SOURCE)
    batch = TOOL.read(home.file(THREAD, content, suffix=".zst"), None, 1 << 20, home.folder)
    assert [content[line.offset : line.offset + line.length] for line in batch.lines] == [
        line.data for line in batch.lines
    ]


def test_a_compressed_file_that_did_not_change_is_not_opened(home, monkeypatch):
    """Its marks are enough; a look costs next to nothing."""
    path = home.file(THREAD, lines(*SOURCE), suffix=".zst")
    cursor = TOOL.read(path, None, 1 << 20, home.folder).cursor.dumps()
    monkeypatch.setattr(packed.zstandard, "ZstdDecompressor", None)
    again = TOOL.read(path, cursor, 1 << 20, home.folder)
    assert (again.lines, again.gaps, again.restarted, again.size) == ((), (), False, again.cursor.offset)


def test_a_compressed_file_that_changed_is_read_again(home):
    """From its start; who gets the lines knows them by their keys."""
    path = home.file(THREAD, lines(*SOURCE), suffix=".zst")
    cursor = TOOL.read(path, None, 1 << 20, home.folder).cursor.dumps()
    home.file(THREAD, lines(*SOURCE, ANSWER), suffix=".zst")
    again = TOOL.read(path, cursor, 1 << 20, home.folder)
    assert (len(again.lines), again.restarted) == (len(SOURCE) + 1, True)


def test_two_compressed_files_by_turns(home):
    """One open stream is kept; the other file loses nothing."""
    one = home.file(THREAD, lines(*SOURCE), suffix=".zst")
    two = home.file(FORK, lines(*SOURCE, ANSWER), suffix=".zst")
    cursors, found = {one: None, two: None}, {one: 0, two: 0}
    for _ in range(20):
        for path, cursor in cursors.items():
            batch = TOOL.read(path, cursor, 1, home.folder)
            cursors[path] = batch.cursor.dumps()
            found[path] += len(batch.lines)
    assert (found[one], found[two]) == (len(SOURCE), len(SOURCE) + 1)


def test_a_very_long_line_in_a_compressed_file(home):
    """Its strings are cut while it streams; the next line is whole."""
    huge = item("x" * (CAPS.line + CAPS.string), ident="huge")
    path = home.file(THREAD, lines(meta(), huge, ANSWER), suffix=".zst")
    batches = [TOOL.read(path, None, 1 << 20, home.folder)]
    while batches[-1].lines:
        batches.append(TOOL.read(path, batches[-1].cursor.dumps(), 1 << 20, home.folder))
    found = [line for batch in batches for line in batch.lines]
    assert [line.elided > 0 for line in found] == [False, True, False]
    assert len(found[1].data) < 1 << 20
    assert json.loads(found[2].data)["payload"]["id"] == "a"


def test_what_cannot_be_decompressed(home):
    """Said as trouble with the source, never a defect; a missing file is gone."""
    path = home.file(THREAD, lines(*SOURCE), suffix=".zst")
    whole = path.read_bytes()
    for damaged in (b"no zstd at all", whole[:20] + bytes(byte ^ 255 for byte in whole[20:])):
        path.write_bytes(damaged)
        with pytest.raises(SourceUnreadable, match="decompressed"):
            drained(path)
    path.write_bytes(whole[:-20])
    assert len(drained(path)[0]) < len(SOURCE)
    path.unlink()
    assert TOOL.read(path, None, 100, home.folder).gone
    assert not TOOL.there(path)


@pytest.mark.parametrize("cursor", ["", "{", '{"v":9}', '{"base":"x"}', '{"base":1,"v":1,"cursor":5}'])
@pytest.mark.parametrize("suffix", ["", ".zst"])
def test_a_damaged_cursor_is_trouble_with_the_store(home, cursor, suffix):
    """Not a reason to read the file anew in silence."""
    with pytest.raises(StoreTrouble):
        TOOL.read(home.file(THREAD, lines(*SOURCE), suffix=suffix), cursor, 100, home.folder)


# Forks


@pytest.mark.parametrize("limit", [1, 1 << 20])
@pytest.mark.parametrize("suffix", ["", ".zst"])
@pytest.mark.parametrize("under", ["sessions/2026/11/28", "archived_sessions"])
def test_a_fork_is_its_sources_lines_and_then_its_own(home, limit, suffix, under):
    """Its first line, which says whose it is; the source's below the ordinal, wherever that file lies now; its own."""
    home.file(THREAD, lines(*SOURCE), suffix=suffix, under=under)
    own = (fork_of(THREAD, 4, id=FORK), *turn("third", "t3"))
    path = home.file(FORK, lines(*own, start=4))
    found = [json.loads(data) for data in drained(path, limit)[0]]
    assert [row["ordinal"] for row in found] == [4, 0, 1, 2, 3, 4, 5, 6, 7]
    assert TOOL.identify(path, [json.dumps(row).encode() for row in found]).native == FORK


def test_a_fork_of_a_fork(home):
    """Oldest first; where it left before its source's own first line, nothing of that."""
    home.file(THREAD, lines(*SOURCE))
    home.file(FORK, lines(fork_of(THREAD, 7, id=FORK), *turn("third", "t3"), start=7))
    late = home.file(SECOND, lines(fork_of(FORK, 11, id=SECOND), *turn("fourth", "t4"), start=11))
    assert [json.loads(data)["ordinal"] for data in drained(late)[0]] == [11, *range(15)]
    early = home.file(SECOND, lines(fork_of(FORK, 4, id=SECOND), *turn("fourth", "t4"), start=4))
    assert [json.loads(data)["ordinal"] for data in drained(early)[0]] == [4, 0, 1, 2, 3, 4, 5, 6, 7]


def test_a_fork_whose_source_is_gone(home):
    """A gap says so once; its own lines are read."""
    path = home.file(FORK, lines(fork_of(THREAD, 7, id=FORK), *turn("third", "t3"), start=7))
    found, gaps, _ = drained(path)
    assert (gaps, len(found)) == ([("absent", 7)], 5)


def test_a_fork_of_itself_and_names_with_wildcards(home):
    """What a hostile first line names leads nowhere."""
    for thread in (FORK, "*", "../*", ""):
        path = home.file(FORK, lines(fork_of(thread, 7, id=FORK), *turn("third", "t3"), start=7))
        assert len(drained(path)[0]) >= 4


def test_a_copied_history_is_not_read_twice(home):
    """A file that has its source's lines itself starts at ordinal 0, whatever its first line says of a fork."""
    home.file(THREAD, lines(*SOURCE))
    path = home.file(FORK, lines(fork_of(THREAD, 4, id=FORK), *SOURCE))
    assert len(drained(path)[0]) == 1 + len(SOURCE)


def test_a_forks_file_that_was_replaced(home):
    """The whole stream again, since the reader begins anew."""
    home.file(THREAD, lines(*SOURCE))
    path = home.file(FORK, lines(fork_of(THREAD, 4, id=FORK), *turn("third", "t3"), start=4))
    cursor = drained(path)[2].cursor.dumps()
    path.write_bytes(lines(fork_of(THREAD, 4, id=FORK, cwd="/moved"), *turn("third", "t3"), start=4))
    again = TOOL.read(path, cursor, 1 << 20, home.folder)
    assert (again.restarted, len(again.lines)) == (True, 5)


# Through the record


@pytest.fixture
def pipe(tmp_path):
    environ = {"MEMD_STATE_DIR": str(tmp_path / "state"), "MEMD_CONFIG": "/nowhere", "HOME": str(tmp_path)}
    made = Pipeline(
        config.Config(), config.load(environ)[1], environ={**environ, "CODEX_HOME": str(tmp_path / "codex")}
    )
    yield made
    made.close()


def log(pipe, thread):
    return [(one.number, str(one.channel), one.text, one.copy_of) for one in pipe.store.messages(f"codex:{thread}")]


def test_a_fork_sees_its_sources_messages_under_their_numbers(pipe, home):
    """As copies, and goes on counting; whichever is read first."""
    source = home.file(THREAD, lines(*SOURCE))
    fork = home.file(FORK, lines(fork_of(THREAD, 4, id=FORK), *turn("third", "t3"), start=4))
    pipe.read_whole(TOOL, fork)
    pipe.read_whole(TOOL, source)
    assert log(pipe, THREAD) == [(1, "human.typed", "first", None), (2, "human.typed", "second", None)]
    assert log(pipe, FORK) == [(1, "human.typed", "first", f"codex:{THREAD}#1"), (2, "human.typed", "third", None)]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("appearing", [True, False])
def test_a_thread_that_was_rewound(pipe, home, order, appearing):
    """It goes on in another file, and again in a third: what was taken back is so, whichever is read first, and when."""
    # Rewound to its start, then to before the second prompt of that.
    base = {"history_base": {"thread_id": FORK, "end_ordinal_exclusive": 4}}
    files = [
        (THREAD, lines(*SOURCE)),
        (f"{THREAD}_{FORK}", lines(meta(), *turn("anew", "t3"), *turn("taken back", "t4"))),
        (f"{THREAD}_{SECOND}", lines(meta(**base), *turn("at last", "t5"), start=4)),
    ]
    paths = {} if appearing else {number: _segment(home, number, *file) for number, file in enumerate(files)}
    for number in sorted(order) if appearing else order:
        if appearing:
            paths[number] = _segment(home, number, *files[number])
        pipe.read_whole(TOOL, paths[number])
    for path in paths.values():  # and once more, each in a file of its own
        path.write_bytes(path.read_bytes().replace(b"/srv/work", b"/srv/work/"))
        pipe.read_whole(TOOL, path)
    held = [one for one in pipe.store.messages(f"codex:{THREAD}") if one.in_force]
    assert [one.text for one in held] == ["anew", "at last"]
    texts = [one.text for one in pipe.store.messages(f"codex:{THREAD}")]
    assert sorted(texts) == ["anew", "at last", "first", "second", "taken back"]


def test_a_rewind_behind_which_nothing_was_typed_yet(pipe, home):
    """What was taken back is so at once: the hooks of the next prompt come before its row."""
    pipe.read_whole(TOOL, _segment(home, 0, THREAD, lines(*SOURCE)))
    base = {"history_base": {"thread_id": THREAD, "end_ordinal_exclusive": 4}}
    path = _segment(home, 1, f"{THREAD}_{SECOND}", lines(meta(**base), start=4))
    pipe.read_whole(TOOL, path)
    assert [one.text for one in pipe.store.messages(f"codex:{THREAD}") if one.in_force] == ["first"]
    path.write_bytes(path.read_bytes() + lines(*turn("instead", "t3"), *turn("and more", "t4"), start=5))
    pipe.read_whole(TOOL, path)
    held = ["first", "instead", "and more"]
    assert [one.text for one in pipe.store.messages(f"codex:{THREAD}") if one.in_force] == held
    long = meta(base_instructions={"text": "x" * (3 << 20)}, **base)  # a step of its own
    path.write_bytes(lines(long, *turn("instead", "t3"), *turn("and more", "t4"), start=4))
    pipe.read_whole(TOOL, path)  # another file, read from its start
    assert [one.text for one in pipe.store.messages(f"codex:{THREAD}") if one.in_force] == held


def _segment(home, number, name, content):
    path = home.file(name, content)
    return path.rename(path.with_name(path.name.replace("22-58-59", f"22-58-5{number}")))


@pytest.mark.parametrize("seen", [0, 200])
@pytest.mark.parametrize("turned", [True, False])
def test_a_file_that_was_seen_before_its_first_line_was_whole(pipe, home, seen, turned):
    """What it goes on from is read all the same: what was taken back in a rewind is so, a fork has its source's lines."""
    pipe.read_whole(TOOL, _segment(home, 0, THREAD, lines(*SOURCE)))
    base = {"history_base": {"thread_id": THREAD, "end_ordinal_exclusive": 4}}
    start = meta(**base) if turned else fork_of(THREAD, 4, id=FORK)
    whole = lines(start, *turn("instead", "t3"), start=4)
    path = _segment(home, 1, f"{THREAD}_{SECOND}" if turned else FORK, whole[:seen])
    pipe.read_whole(TOOL, path)
    path.write_bytes(whole)
    pipe.read_whole(TOOL, path)
    held = [one.text for one in pipe.store.messages(f"codex:{THREAD if turned else FORK}") if one.in_force]
    assert held == ["first", "instead"]


def test_a_rewind_whose_first_file_is_gone(pipe, home):
    """What stood before cannot be told, so nothing recorded is taken back."""
    pipe.read_whole(TOOL, home.file(THREAD, lines(*SOURCE)))
    base = {"history_base": {"thread_id": SECOND, "end_ordinal_exclusive": 4}}
    pipe.read_whole(TOOL, home.file(f"{THREAD}_{FORK}", lines(meta(**base), *turn("on", "t3"), start=4)))
    assert [one.text for one in pipe.store.messages(f"codex:{THREAD}") if one.in_force] == ["first", "second", "on"]


def test_a_fork_of_a_rewound_thread(pipe, home):
    """It has what was in force, as copies, and nothing that was taken back."""
    pipe.read_whole(TOOL, _segment(home, 0, THREAD, lines(*SOURCE)))
    base = {"history_base": {"thread_id": THREAD, "end_ordinal_exclusive": 4}}
    second = lines(meta(**base), *turn("instead", "t3"), start=4)
    pipe.read_whole(TOOL, _segment(home, 1, f"{THREAD}_{SECOND}", second))
    base = {"history_base": {"thread_id": SECOND, "end_ordinal_exclusive": 8}}
    own = lines(meta(id=FORK, forked_from_id=THREAD, **base), *turn("own", "t4"), start=8)
    pipe.read_whole(TOOL, home.file(FORK, own))
    assert log(pipe, FORK) == [
        (1, "human.typed", "first", f"codex:{THREAD}#1"),
        (2, "human.typed", "instead", f"codex:{THREAD}#3"),
        (3, "human.typed", "own", None),
    ]


def told(text, second):
    """A user's item without an id, and its event: what a client of June 2026 wrote."""
    at = f"2026-06-18T02:34:5{second}.000Z"
    content = [{"type": "input_text", "text": text}]
    yield {"timestamp": at, "type": "response_item", "payload": {"type": "message", "role": "user", "content": content}}
    yield {"timestamp": at, "type": "event_msg", "payload": {"type": "user_message", "message": text}}


def migrated(rows):
    """What the client's own migration does to a file: numbers, and its completed items in place of events (measured)."""
    for row in rows:
        payload = row["payload"]
        if payload.get("type") == "user_message":
            said = {"type": "UserMessage", "id": "item-1", "content": [{"type": "text", "text": payload["message"]}]}
            yield {**row, "payload": {"type": "item_completed", "turn_id": "t", "item": said}}
        else:
            yield row


def test_a_migration_in_place(pipe, home):
    """Another inode, another size, other events: the same entries, each once."""
    rows = [{**meta(), "ordinal": None}, *told("do it", 1), *told("do it", 2), *told("and this", 3)]
    path = home.file(THREAD, b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    pipe.read_whole(TOOL, path)
    before = log(pipe, THREAD)
    fresh = path.with_suffix(".new")
    fresh.write_bytes(lines(*migrated(rows)))
    os.replace(fresh, path)
    pipe.read_whole(TOOL, path)
    assert [text for _, _, text, _ in before] == ["do it", "do it", "and this"]
    assert log(pipe, THREAD) == before


def test_archived_compressed_and_back(pipe, home):
    """A file that moves, is packed, or both, and then goes on: nothing is lost, nothing doubled."""
    path = home.file(THREAD, lines(*SOURCE))
    pipe.read_whole(TOOL, path)
    archived = home.folder / "archived_sessions" / path.name
    archived.parent.mkdir()
    shutil.move(path, archived)
    pipe.read_whole(TOOL, archived)
    archived.unlink()
    packed_one = home.file(THREAD, lines(*SOURCE), suffix=".zst")
    pipe.read_whole(TOOL, packed_one)
    packed_one.unlink()
    pipe.read_whole(TOOL, home.file(THREAD, lines(*SOURCE, *turn("third", "t3"))))
    assert [text for _, _, text, _ in log(pipe, THREAD)] == ["first", "second", "third"]
