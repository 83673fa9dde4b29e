"""Where Claude Code keeps its transcripts, and whose each is."""

import json
from pathlib import Path

import pytest
from claude_rows import SESSION, TOOL, names, recording

from memd.tools.protocol import Identity

HEAD = [json.dumps({"type": "user", "sessionId": SESSION}).encode()]
PROJECT = Path("/home/dev/.claude/projects/-home-dev-w")


def test_places(tmp_path):
    """`CLAUDE_CONFIG_DIR` moves everything; without it the home directory decides; an empty value is none."""
    plain = TOOL.place({"HOME": str(tmp_path)})
    assert plain.home == tmp_path / ".claude"
    assert not plain.present
    (tmp_path / "c").mkdir()
    moved = TOOL.place({"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "c")})
    assert moved.present
    assert moved.roots == (tmp_path / "c" / "projects",)
    assert moved.history == tmp_path / "c" / "history.jsonl"
    assert TOOL.place({"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": ""}) == plain


@pytest.mark.parametrize(
    ("path", "head", "identity"),
    [
        (PROJECT / f"{SESSION}.jsonl", HEAD, Identity(SESSION)),
        (PROJECT / f"{SESSION}.jsonl", [], Identity(SESSION)),
        (PROJECT / SESSION / "subagents" / "agent-a1b2.jsonl", [], Identity("a1b2", SESSION)),
        (PROJECT / "agent-a1b2.jsonl", HEAD, Identity("a1b2", SESSION)),
        (PROJECT / "agent-a1b2.jsonl", [], None),
        (PROJECT / "agent-a1b2.jsonl", [b"{", b"\0\0", *HEAD], Identity("a1b2", SESSION)),
        (PROJECT / "my copy of it.jsonl", HEAD, Identity(SESSION)),
        (PROJECT / "my copy of it.jsonl", [b"[]"], None),
        (PROJECT / ("x" * 200 + ".jsonl"), HEAD, Identity(SESSION)),
        (PROJECT / "ünï.jsonl", [json.dumps({"sessionId": "../../etc"}).encode()], None),
        (PROJECT / "ünï.jsonl", [json.dumps({"sessionId": 5}).encode(), *HEAD], Identity(SESSION)),
    ],
)
def test_whose_transcript_it_is(path, head, identity):
    """The place tells; where it does not, the first rows do; where nothing tells, it is nobody's."""
    assert TOOL.identify(path, head) == identity


def test_memds_own_runs_are_no_sessions():
    """A run that memd started says so in each of its rows; to observe it would make another."""
    own = json.dumps({"type": "user", "sessionId": SESSION, "entrypoint": "memd-ckpt"}).encode()
    assert TOOL.identify(PROJECT / f"{SESSION}.jsonl", [*HEAD, own]) is None
    assert TOOL.identify(PROJECT / f"{SESSION}.jsonl", [own.replace(b"memd-ckpt", b"cli")]) == Identity(SESSION)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (f"{SESSION}.jsonl", True),
        (f"{SESSION}/subagents/agent-a.jsonl", True),
        (f"{SESSION}/subagents/agent-a.meta.json", False),
        (f"{SESSION}/tool-results/x.jsonl", False),
        (f"{SESSION}/tool-results/x.txt", False),
        ("memory/MEMORY.md", False),
    ],
)
def test_what_is_a_transcript(path, wanted):
    """Spilled output, notes and descriptions are not."""
    assert TOOL.wanted(str(PROJECT / path)) is wanted


def test_children_lie_beside_their_parent(tmp_path):
    """In the session's side folder, in a fixed order; without one there are none."""
    main = tmp_path / f"{SESSION}.jsonl"
    assert list(TOOL.children(main)) == []
    folder = tmp_path / SESSION / "subagents"
    folder.mkdir(parents=True)
    for name in ("agent-b.jsonl", "agent-a.jsonl", "agent-a.meta.json", "notes.jsonl"):
        (folder / name).touch()
    assert [path.name for path in TOOL.children(main)] == ["agent-a.jsonl", "agent-b.jsonl"]


@pytest.mark.parametrize("name", names())
def test_its_own_files_are_claimed(name):
    """Every recording is known for what it is by its first rows."""
    assert TOOL.claims(Path("x.jsonl"), recording(name)[:40])


@pytest.mark.parametrize(
    "head",
    [
        [b'{"timestamp":"2026-11-29T23:07:20Z","type":"session_meta","payload":{"id":"x","cwd":"/w"}}'],
        [b'{"timestamp":"2026-11-29T23:07:20Z","type":"response_item","payload":{"type":"message","role":"user"}}'],
        [b'{"display":"hello","timestamp":1795993640000,"project":"/w","sessionId":"x"}'],
        [b'{"type":"user","text":"no session"}'],
        [b'{"sessionId":"x","type":"event"}'],
        [b'{"sessionId":5,"type":"user"}'],
        [b"[1]", b"text", b"\0", b"{"],
        [b""],
        [],
    ],
)
def test_other_files_are_not_claimed(head):
    """A rollout of Codex, the prompt history, or any other JSON lines."""
    assert not TOOL.claims(Path("x.jsonl"), head)


@pytest.mark.parametrize("name", names())
def test_identity_of_the_recordings(name):
    """Laid out as the client does, each is its own session or its parent's sub-agent."""
    session = next(row["sessionId"] for row in map(json.loads, recording(name)) if row.get("sessionId"))
    if "agent-" in name:
        assert TOOL.identify(PROJECT / "agent-x.jsonl", recording(name)) == Identity("x", session)
    else:
        assert TOOL.identify(PROJECT / "a copy.jsonl", recording(name)) == Identity(session)
