"""Sessions that are not recorded: by the settings, by `.memdignore`, and before their directory is known."""

import json

import pytest
from chain import Chain

from memd.daemon.ignore import Ignore
from memd.model import Channel

CANARY = "zqcanary7788"


@pytest.fixture
def place(tmp_path):
    """A repository with a directory in it."""
    inner = tmp_path / "repo" / "client" / "src"
    inner.mkdir(parents=True)
    return inner


def trace(chain):
    """Whether anything of a session is below the state folder."""
    held = [path for path in chain.paths.state.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    return bool(
        held or chain.store.sessions() or chain.store.sources.every() or list(chain.paths.state.glob("sessions/*/*"))
    )


@pytest.mark.parametrize(
    ("where", "lines", "ignored"),
    [
        ("repo/client/src", "", True),
        ("repo", "", True),
        ("", "", True),
        ("repo", "# only a word of explanation\n\n", True),
        ("repo", "client\n", True),
        ("repo", "client/src", True),
        ("repo", "other\nclie*  \n", True),
        ("repo", "other\n", False),
        ("repo/client", "client\n", False),
        ("repo/elsewhere", "", False),
        (None, "", False),
    ],
)
def test_a_file_says_it(tmp_path, place, where, lines, ignored):
    """Empty, it means all below it; with lines, the directories that they name; it is found in every directory above."""
    if where is not None:
        (tmp_path / where).mkdir(exist_ok=True)
        (tmp_path / where / ".memdignore").write_text(lines)
    assert (Ignore((), "/home/me").reason(str(place)) is not None) is ignored


def test_a_file_that_cannot_be_read_means_all(place):
    """A directory, a dead link or one to a device of that name: when in doubt, nothing is kept."""
    (place / ".memdignore").symlink_to("/dev/zero")
    assert Ignore((), "/").reason(str(place))
    (place / ".memdignore").unlink()
    (place / ".memdignore").mkdir()
    assert Ignore((), "/").reason(str(place))
    (place / ".memdignore").rmdir()
    (place / ".memdignore").symlink_to("/nowhere")
    assert Ignore((), "/").reason(str(place))


def test_a_directory_that_is_not_here_is_ignored_by_the_settings_alone():
    """A container's path has no files to look for."""
    assert Ignore((), "/").reason("/not/here") is None
    assert Ignore(("/not",), "/").reason("/not/here") == "the setting ignore has '/not'"


def test_an_ignored_session_leaves_no_trace(chain, place):
    """No record, no source, no folder, no byte; nor its sub-agents."""
    (place.parent / ".memdignore").touch()
    transcript = chain.transcript(cwd=str(place))
    transcript.turn(CANARY, CANARY)
    child = chain.transcript(f"{transcript.session}/subagents/agent-abc", session=transcript.session, cwd=str(place))
    child.turn(CANARY, CANARY)
    chain.read(transcript, child)
    transcript.turn(CANARY)
    chain.read(transcript)
    assert not trace(chain)


def test_the_setting_says_it(tmp_path, place):
    """`ignore` in the settings, without a file anywhere."""
    settings = tmp_path / "config.toml"
    settings.write_text(f"ignore = ['{place.parent}']\n")
    from memd import config  # noqa: PLC0415

    chain = Chain(tmp_path, config.read(settings))
    try:
        transcript = chain.transcript(cwd=str(place))
        transcript.turn(CANARY)
        chain.read(transcript)
        assert not trace(chain)
    finally:
        chain.close()


def test_nothing_is_kept_before_the_directory_is_known(chain, place):
    """Rows without a directory wait in the transcript; when it comes, they are recorded, or never."""
    for name, ignored in (("one", False), ("two", True)):
        transcript = chain.transcript(name, cwd=str(place))
        queued = {"type": "queue-operation", "sessionId": name, "operation": "enqueue", "content": CANARY}
        transcript.raw(json.dumps(queued).encode() + b"\n")
        chain.read(transcript)
        assert not trace(chain) or name == "two"
        if ignored:
            (place / ".memdignore").touch()
        transcript.turn("Go on.")
        chain.read(transcript)
        assert (chain.store.session(transcript.id) is None) is ignored


def test_a_directory_far_from_the_start_is_found(chain, place):
    """A megabyte and more of rows that tell none neither opens the gate nor keeps it shut."""
    (place / ".memdignore").touch()
    transcript = chain.transcript(cwd=str(place))
    row = json.dumps({"type": "mode", "sessionId": transcript.session, "mode": "x" * 200}).encode() + b"\n"
    transcript.raw(row * 8_000)
    transcript.turn(CANARY)
    chain.read(transcript)
    assert not trace(chain)
    (place / ".memdignore").unlink()
    chain.read(transcript)
    assert chain.store.session(transcript.id).messages == 2


def test_a_transcript_that_tells_no_directory_is_recorded(chain):
    """Once the agent has answered without one, there is none to wait for."""
    transcript = chain.transcript(cwd=None)
    transcript.typed("Who am I?")
    chain.read(transcript)
    assert chain.store.sessions() == []
    transcript.says("A session without a directory.")
    chain.read(transcript)
    assert [record.channel for record in chain.store.messages(transcript.id)] == [
        Channel.HUMAN_TYPED,
        Channel.AGENT_TEXT,
    ]


def test_a_transcript_that_a_person_names_needs_no_directory(chain):
    """`ingest` of the file itself records it as it is, unless it tells an ignored directory."""
    transcript = chain.transcript(cwd=None)
    transcript.typed("Who am I?")
    assert chain.control("ingest", paths=[str(transcript.path)])["sessions"] == [transcript.id]


def test_a_rule_holds_from_when_it_is_there_until_it_goes(chain, place):
    """What was recorded before stays, nothing is added; when the rule goes, the rest is read after all."""
    transcript = chain.transcript(cwd=str(place))
    transcript.turn("One.")
    chain.read(transcript)
    (place / ".memdignore").touch()
    transcript.turn("Two.")
    chain.read(transcript)
    assert chain.store.session(transcript.id).messages == 2
    (place / ".memdignore").unlink()
    chain.read(transcript)
    assert chain.store.session(transcript.id).messages == 4
    assert [record.text for record in chain.store.messages(transcript.id, channels={Channel.HUMAN_TYPED})] == [
        "One.",
        "Two.",
    ]


@pytest.mark.parametrize(
    "row",
    [
        b'{"type": "turn-2", "said": "zqcanary7788"}',
        b'{"type": "prompt", "message": {"role": "user", "content": "zqcanary7788"}}',
        "{}".encode("utf-16"),
        b"{",
    ],
)
def test_a_transcript_that_cannot_be_read_at_all_is_named(chain, row):
    """Nothing of it is kept, for its directory may be an ignored one; but that it is passed over is told, and once."""
    transcript = chain.transcript()
    transcript.path.parent.mkdir(parents=True, exist_ok=True)
    transcript.path.write_bytes((row + b"\n") * 12)
    chain.read(transcript)
    chain.read(transcript)
    assert not trace(chain)
    assert [line.split(" ", 1)[1] for line in chain.troubles.lines()] == [
        f"{transcript.path}: not recorded: no row that this memd can read tells its directory"
    ]


def test_a_transcript_that_only_begins_is_not_named(chain):
    """A few rows without a directory stand at the head of every one."""
    transcript = chain.transcript()
    transcript.path.parent.mkdir(parents=True, exist_ok=True)
    transcript.path.write_bytes(
        b'{"type": "turn-2"}\n' * 3 + b'{"type": "mode", "mode": "normal", "sessionId": "s"}\n' * 20
    )
    chain.read(transcript)
    assert chain.troubles.lines() == []
