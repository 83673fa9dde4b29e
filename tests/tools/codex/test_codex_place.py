"""Where transcripts are, and whose they are."""

import json
from pathlib import Path

import pytest
import zstandard
from codex_rows import RECORDINGS, THREAD, TOOL, identity, meta, names, recording

from memd.tools.protocol import Identity

NAME = f"rollout-2026-11-29T22-58-59-{THREAD}.jsonl"
CHILD = "01a22988-7aea-7731-8d65-000000000002"
SPAWN = {"subagent": {"thread_spawn": {"parent_thread_id": THREAD, "depth": 1}}}


def head(**about):
    return [json.dumps(meta(**about)).encode()]


def test_the_home(tmp_path):
    """`CODEX_HOME`, else the folder in the person's home; archived sessions are among the transcripts."""
    place = TOOL.place({"CODEX_HOME": str(tmp_path)})
    assert place.roots == (tmp_path / "sessions", tmp_path / "archived_sessions")
    assert (place.home, place.history, place.present) == (tmp_path, tmp_path / "history.jsonl", True)
    other = TOOL.place({"HOME": str(tmp_path)})
    assert (other.home, other.present) == (tmp_path / ".codex", False)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [(NAME, True), (f"{NAME}.zst", True), ("history.jsonl", False), (f"{NAME}.tmp", False), ("rollout-x.json", False)],
)
def test_which_files_are_transcripts(name, wanted):
    """Plain or compressed, by their names."""
    assert TOOL.wanted(f"/c/sessions/2026/11/29/{name}") is wanted


def test_whose_it_is():
    """By the first row; by its name where that is missing; nobody's where neither tells."""
    assert TOOL.identify(Path("x.jsonl"), head()) == Identity(THREAD)
    assert TOOL.identify(Path(NAME), [b"{}"]) == Identity(THREAD)
    assert TOOL.identify(Path(f"{NAME}.zst"), []) == Identity(THREAD)
    assert TOOL.identify(Path("x.jsonl"), [b"not json"]) is None
    assert TOOL.identify(Path("x.jsonl"), head(id="../../etc")) is None


@pytest.mark.parametrize(
    "about",
    [
        {"source": SPAWN, "session_id": THREAD},
        {"source": SPAWN, "session_id": None},
        {"source": {"subagent": "review"}, "session_id": THREAD},
        {"source": "cli", "thread_source": "subagent", "session_id": CHILD, "parent_thread_id": THREAD},
    ],
)
def test_a_sub_agents_is_its_roots(about):
    """Its own id below that of the session that it belongs to."""
    assert TOOL.identify(Path("x.jsonl"), head(id=CHILD, **about)) == Identity(CHILD, THREAD)


def test_a_nested_sub_agent_belongs_to_the_root():
    """Whoever started it."""
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": CHILD, "depth": 2}}}
    found = TOOL.identify(
        Path("x.jsonl"), head(id="grandchild", session_id=THREAD, parent_thread_id=CHILD, source=spawn)
    )
    assert found == Identity("grandchild", THREAD)


def test_only_the_first_row_tells():
    """A child's file has its parent's first row behind its own."""
    rows = [*head(id=CHILD, session_id=THREAD, source=SPAWN), *head()]
    assert TOOL.identify(Path("x.jsonl"), rows) == Identity(CHILD, THREAD)


@pytest.mark.parametrize("about", [{"thread_source": "memd-checkpoint"}, {"originator": "memd-writer"}])
def test_runs_of_memds_own_are_no_sessions(about):
    """The client writes into their first row who asked for them."""
    assert TOOL.identify(Path(NAME), head(**about)) is None
    assert identity("own-run") is None


@pytest.mark.parametrize("name", names())
def test_its_own_files_are_claimed(name):
    """All generations."""
    assert TOOL.claims(RECORDINGS.folder / f"{name}.jsonl", recording(name)[:5])


@pytest.mark.parametrize(
    "line",
    [b"", b"[]", b'{"type":"user","sessionId":"x"}', b'{"type":"message"}', b'{"id":"x"}', b'{"type":"session_meta"}'],
)
def test_other_files_are_not_claimed(line):
    """Another tool's rows, and what is none."""
    assert not TOOL.claims(Path("x.jsonl"), [line])


def test_a_compressed_file_is_claimed():
    """From its first bytes, which were split at line ends that are none."""
    data = zstandard.compress(b"\n".join(recording("screen-daemon")) + b"\n")
    assert TOOL.claims(Path(f"{NAME}.zst"), data[:20_000].split(b"\n"))
    assert not TOOL.claims(Path(f"{NAME}.zst"), [b"no zstd"])


def test_the_sub_agents_beside_a_session(tmp_path):
    """Those that say that they are this one's, compressed ones too."""
    for number, (ident, root) in enumerate([(THREAD, THREAD), (CHILD, THREAD), ("other-1", "other-0")]):
        path = tmp_path / f"rollout-2026-11-29T22-5{number}-00-{ident}.jsonl"
        path.write_bytes(head(id=ident, session_id=root, source="cli" if ident == root else SPAWN)[0] + b"\n")
    path = tmp_path / "rollout-2026-11-29T22-59-00-01a22988-7aea-7731-8d65-000000000003.jsonl.zst"
    path.write_bytes(zstandard.compress(head(id="c3", session_id=THREAD, source=SPAWN)[0] + b"\n"))
    mother = tmp_path / f"rollout-2026-11-29T22-50-00-{THREAD}.jsonl"
    assert [child.name[19:27] for child in TOOL.children(mother)] == ["22-51-00", "22-59-00"]


def test_a_screen_is_known_by_the_first_line(tmp_path):
    """Codex's own screen, with or without its daemon; `codex exec`, other clients and a missing file are none."""
    path = tmp_path / "rollout-x.jsonl"
    told = {}
    starts = [("cli", "codex-tui"), ("vscode", "codex-tui"), ("exec", "codex_exec"), ("vscode", "codex_vscode")]
    for source, originator in starts:
        payload = {"id": "t", "source": source, "originator": originator}
        path.write_text(json.dumps({"type": "session_meta", "payload": payload}) + "\n")
        told[source, originator] = TOOL.interactive(_starts(path), None)
    assert told == {
        ("cli", "codex-tui"): True,
        ("vscode", "codex-tui"): True,
        ("exec", "codex_exec"): False,
        ("vscode", "codex_vscode"): False,
    }
    assert not TOOL.interactive(_starts(tmp_path / "nothing.jsonl"), "cli")


def _starts(path):
    return TOOL.moment("SessionStart", {"session_id": "t", "source": "startup", "transcript_path": str(path)})
