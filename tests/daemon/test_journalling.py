"""From a transcript to the project's journal: each operation once, in the right project, whatever happens in between."""

import json

import pytest
from transcript import Transcript

from memd.daemon.forgetting import forget
from memd.store.journals import JournalFile


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def lines(chain):
    found = sorted(chain.paths.state.glob("projects/*/journal/journal.jsonl"))
    return [json.loads(row) for path in found for row in path.read_text("utf-8").splitlines()]


def test_what_a_session_did_is_in_its_projects_journal(chain, work):
    """Once, also where the whole transcript is read again, and nothing appears in the project itself."""
    transcript = chain.transcript(cwd=str(work))
    transcript.typed("Go.")
    transcript.runs("rm old.txt && git commit -m 'Drop it'", "[main 1a2b3c4] Drop it")
    chain.read(transcript)
    first = lines(chain)
    transcript.path.write_bytes(transcript.path.read_bytes().replace(b"Go.", b"Do."))
    chain.read(transcript)
    assert [(line["op"], line["target"], line["result"], line["exit"]) for line in first] == [
        ("delete", "old.txt", "exit 0: [main 1a2b3c4] Drop it", 0),
        ("commit", "git commit -m 'Drop it'", "exit 0: [main 1a2b3c4] Drop it", 0),
    ]
    assert {line["session"] for line in first} == {transcript.id}
    assert lines(chain) == first
    assert list(work.iterdir()) == []


def test_a_short_edit_has_the_keys_that_its_file_has_around_it(chain, work):
    """What the call shows is a line; the file is there, and memd looks at it as it looks at everything else of a project."""
    (work / "app.json").write_text('{"servers": {"web": {\n  "port": 81,\n  "host": "a"}}}')
    transcript = chain.transcript(cwd=str(work))
    transcript.typed("Go.")
    given = {"file_path": str(work / "app.json"), "old_string": '"port": 80,', "new_string": '"port": 81,'}
    transcript.uses("Edit", **given)
    chain.read(transcript)
    (line,) = lines(chain)
    assert (line["target"], line["from"], line["to"]) == ("app.json:servers.web.port", "80", "81")


def test_a_sub_agents_work_is_its_parents(chain, work):
    """The line names the parent's session, and who did it."""
    transcript = chain.transcript(cwd=str(work))
    transcript.turn("Go.")
    folder = transcript.path.with_suffix("") / "subagents"
    agent = Transcript(
        folder / "agent-a1.jsonl", session=transcript.session, cwd=str(work), isSidechain=True, agentId="a1"
    )
    agent.runs("npm install left-pad")
    chain.read(transcript, agent)
    (line,) = lines(chain)
    assert (line["session"], line["agent"], line["target"]) == (transcript.id, "a1", "npm install left-pad")


def test_a_background_jobs_effect_is_told_when_its_end_is(chain, work):
    """Not when it starts: its result is not known then."""
    transcript = chain.transcript(cwd=str(work))
    transcript.typed("Go.")
    row = transcript.runs("git push origin main", "Command running in background with ID: b1")
    data = transcript.path.read_bytes().replace(
        json.dumps(row["toolUseResult"]).encode(), b'{"backgroundTaskId": "b1"}'
    )
    transcript.path.write_bytes(data)
    chain.read(transcript)
    assert lines(chain) == []
    told = "<task-id>b1</task-id>\n<status>failed</status>\n<summary>push failed with exit code 1</summary>"
    note = f"<task-notification>\n{told}\n</task-notification>"
    transcript.typed(note, origin={"kind": "task-notification"}, promptSource="system", turnOrigin="task_notification")
    chain.read(transcript)
    (line,) = lines(chain)
    assert line["result"].startswith("failed")


def test_a_session_of_another_machine_has_no_journal(chain):
    """Its directory does not exist here."""
    transcript = chain.transcript(cwd="/nowhere/at/all")
    transcript.typed("Go.")
    transcript.runs("rm x")
    chain.read(transcript)
    assert not (chain.paths.state / "projects").exists()


def test_a_file_that_cannot_be_written_loses_nothing(chain, work, monkeypatch):
    """Reading goes on; the lines are written with the next ones, once."""
    transcript = chain.transcript(cwd=str(work))
    transcript.typed("Go.")
    transcript.runs("rm one")
    real = JournalFile.append

    def torn(self, given, *, doubted=False):
        real(self, given[:1], doubted=doubted)
        raise OSError(28, "No space left on device")

    told = []
    chain.job(lambda pipeline: setattr(pipeline.projects, "_trouble", told.append))
    monkeypatch.setattr(JournalFile, "append", torn)
    chain.read(transcript)
    assert len(told) == 1
    assert chain.store.checkpoints.current(transcript.id) is not None
    monkeypatch.setattr(JournalFile, "append", real)
    chain.job(lambda pipeline: pipeline.journalling.catch_up())
    transcript.runs("rm two")
    chain.read(transcript)
    assert [line["target"] for line in lines(chain)] == ["one", "two"]


def test_what_is_forgotten_leaves_the_journal(chain, work):
    """By a person's word, its lines go; what is only old stays in the journal."""
    one, two = chain.transcript(cwd=str(work)), chain.transcript("5d1f0c1e-7b1a-4b7e-9a52-000000000002", cwd=str(work))
    for transcript, name in ((one, "one"), (two, "two")):
        transcript.typed("Go.")
        transcript.runs(f"rm {name}")
    chain.read(one, two)
    (state,) = chain.paths.state.glob("projects/*/state.md")
    engram = state.with_name("engram.md")
    engram.write_text(f"- a (#1 of {one.id})\n- b (#1 of {two.id})\n")
    chain.job(lambda pipeline: forget(pipeline, [one.id], 1))
    assert [engram.read_text(), state.exists()] == [f"- b (#1 of {two.id})\n", False]
    chain.job(lambda pipeline: forget(pipeline, [two.id], 1, until_grown=True))
    assert [line["target"] for line in lines(chain)] == ["two"]
