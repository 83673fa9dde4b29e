"""A project whose directory is moved or renamed while its sessions are kept."""

import json

from memd import config
from memd.daemon.setup.standing import standing
from memd.daemon.survey import row


def state(chain, transcript):
    setup = standing(chain.paths, {"MEMD_STATE_DIR": str(chain.paths.state)})
    return row(chain.store, chain.store.session(transcript.id), None, setup, config.Config()).state


def done(chain):
    """Each journal's targets, by the project's folder."""
    found = sorted(chain.paths.state.glob("projects/*/journal/journal.jsonl"))
    return {
        path.parts[-3].rpartition("-")[0]: [json.loads(line)["target"] for line in path.read_text("utf-8").splitlines()]
        for path in found
    }


def test_a_session_goes_on_where_its_project_was_moved_to(chain, tmp_path):
    """Until it is taken up there it is one of a directory that is not here; nothing is lost, doubled or numbered anew.

    What was done before stays in the old directory's journal, as in the record; the new one's begins.
    """
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    transcript = chain.transcript(cwd=str(old)).now()
    transcript.typed("Clean up.")
    transcript.runs("rm old.txt")
    chain.read(transcript)
    before = chain.store.messages(transcript.id)
    assert state(chain, transcript) == "active"

    old.rename(new)
    assert state(chain, transcript) == "foreign"

    chain.hook("SessionStart", transcript, part=1, source="resume", cwd=str(new))
    chain.settle()
    transcript.cwd = str(new)
    transcript.row(type="custom-title", customTitle="What is told of it is told anew")
    transcript.typed("Go on.")
    transcript.runs("rm new.txt")
    chain.read(transcript)
    after = chain.store.messages(transcript.id)
    assert (state(chain, transcript), chain.store.session(transcript.id).cwd) == ("active", str(new))
    assert after[: len(before)] == before
    assert [record.number for record in after] == list(range(1, len(after) + 1))
    assert done(chain) == {"old": ["old.txt"], "new": ["new.txt"]}
    assert "Clean up." in b"".join(chain.parts(transcript)).decode()


def test_a_transcript_that_moves_with_it_is_the_same_session(chain, tmp_path):
    """The client's folder is named after the directory: another path, the same session, each entry once."""
    transcript = chain.transcript(cwd=str(tmp_path)).now()
    transcript.turn("Clean up.")
    chain.read(transcript)
    before = chain.store.messages(transcript.id)
    moved = transcript.path.parent.with_name("-srv-new") / transcript.path.name
    moved.parent.mkdir()
    transcript.path = transcript.path.rename(moved)
    transcript.turn("Go on.")
    chain.read(transcript)
    after = chain.store.messages(transcript.id)
    assert after[: len(before)] == before
    assert [record.text for record in after if record.channel.human] == ["Clean up.", "Go on."]
