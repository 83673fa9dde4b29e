"""What hooks are answered, by the rules of giving back: the chain in one process, real record, real files."""

import asyncio
import errno
import json
import os
import threading
import time

import pytest
from transcript import given

from memd.daemon import frozen, giving
from memd.daemon.jobs import Urgency
from memd.daemon.socket import Request, Server, deadline
from memd.model import marks

OTHER = "5d1f0c1e-7b1a-4b7e-9a52-000000000002"
LOOK = giving.LOOK
"""What it is outside these tests."""


def numbers(replies):
    """The checkpoint numbers that the marks of some parts name."""
    return {found.number for reply in replies if reply and (found := marks.find(given(reply)))}


def long_session(transcript, prompts=60):
    """So much said that the checkpoint takes several parts."""
    for number in range(prompts):
        transcript.turn(f"Requirement {number}: " + f"the gateway must keep rule {number} in mind. " * 12)
    return transcript


# The frozen text


def test_all_parts_of_a_compaction_are_of_one_number(chain):
    """However often the checkpoint is refreshed between the requests for its parts."""
    transcript = long_session(chain.transcript())
    chain.hook("PreCompact", transcript, trigger="auto")
    replies = []
    for part in range(1, 5):
        replies.append(chain.hook("SessionStart", transcript, part=part, source="compact"))
        transcript.turn(f"Said between part {part} and the next.")
        chain.read(transcript)
    assert len([reply for reply in replies if reply]) > 1
    assert len(numbers(replies)) == 1
    assert "Said between" not in "".join(map(given, replies))
    assert chain.store.checkpoints.current(transcript.id).number == max(numbers(replies)) + 4


def test_what_was_written_after_precompact_is_in_the_text(chain):
    """A client writes its last rows in batches: the first request looks once more before all parts stand still."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.hook("PreCompact", transcript, trigger="auto")
    transcript.typed("And tell me how long each run took.")
    assert "And tell me how long" in given(chain.hook("SessionStart", transcript, part=1, source="compact"))


def test_a_last_look_that_takes_too_long_leaves_the_text_of_precompact(chain, monkeypatch):
    """The agent is never held up; what stood at PreCompact is better than nothing."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.hook("PreCompact", transcript, trigger="auto")
    transcript.typed("And quiet.")
    monkeypatch.setattr(giving, "LOOK", LOOK)
    held = threading.Event()
    chain.worker.submit(Urgency.HOOK, lambda _: held.wait(10))
    try:
        reply = given(chain.hook("SessionStart", transcript, part=1, source="compact"))
    finally:
        held.set()
    assert ("Make the gateway fast." in reply, "And quiet." in reply) == (True, False)


def test_the_first_request_freezes_where_no_precompact_came(chain):
    transcript = long_session(chain.transcript())
    chain.read(transcript)
    first = chain.hook("SessionStart", transcript, part=1, source="compact")
    transcript.turn("Something new.")
    chain.read(transcript)
    second = chain.hook("SessionStart", transcript, part=2, source="compact")
    assert numbers([first]) == numbers([second]) == {1}


def test_a_part_that_is_asked_for_twice_starts_anew(chain):
    """The second request for a part belongs to another compaction, so it gets what is newest."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    first = chain.hook("SessionStart", transcript, part=1, source="compact")
    transcript.turn("And quiet.")
    chain.read(transcript)
    again = chain.hook("SessionStart", transcript, part=1, source="compact")
    assert (numbers([first]), numbers([again])) == ({1}, {2})
    assert "And quiet." in given(again)


def test_an_abandoned_compaction_does_not_hold_its_text(chain, monkeypatch):
    """PreCompact came, the compaction did not; the next PreCompact freezes afresh even when it is late itself."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.hook("PreCompact", transcript, trigger="manual")
    transcript.turn("And quiet.")
    chain.read(transcript)
    monkeypatch.setattr(giving, "LOOK", LOOK)
    held = threading.Event()
    chain.worker.submit(Urgency.HOOK, lambda _: held.wait(10))

    async def compaction():
        payload = {"session_id": transcript.session, "transcript_path": str(transcript.path)}
        late = asyncio.create_task(
            chain.answers(Request(1, "claude-code", "PreCompact", None, "cli", json.dumps(payload).encode()))
        )
        await asyncio.sleep(0.05)
        start = json.dumps({**payload, "source": "compact"}).encode()
        reply = await chain.answers(Request(1, "claude-code", "SessionStart", 1, "cli", start))
        held.set()
        await late
        return reply

    assert "And quiet." in given(chain.run(compaction()))


def test_frozen_texts_are_bounded_and_thaw(chain, monkeypatch):
    """A daemon that runs for months keeps only so many, and none longer than a compaction can take."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    for number in range(frozen.MOST + 20):
        chain.answers._giving.frozen.put(f"claude-code:{number}:compact", chain.folders.replies(chain.folder))
    assert len(chain.answers._giving.frozen) == frozen.MOST
    monkeypatch.setattr(frozen, "THAWS", 0.0)
    chain.answers._giving.frozen.put("claude-code:x:compact", chain.folders.replies(chain.folder))
    assert len(chain.answers._giving.frozen) == 1


# PreCompact


def test_precompact_holds_the_last_line_on_disk(chain):
    """What was written a moment before the compaction is in its answer, though no hint came."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    transcript.typed("Stop: the port is 9443, not 9444.")
    reply = chain.hook("PreCompact", transcript, trigger="auto")
    assert "Stop: the port is 9443" in reply.decode()
    assert "Stop: the port is 9443" in given(chain.hook("SessionStart", transcript, part=1, source="compact"))


def test_precompact_of_a_session_never_seen_before(chain):
    """Installed in the middle of a session, memd reads all of it at the first hook."""
    transcript = long_session(chain.transcript(), 5)
    assert b"Requirement 0" in chain.hook("PreCompact", transcript, trigger="manual")
    assert chain.store.session(transcript.id).messages == 10


def test_precompact_finds_the_transcript_by_the_session(chain):
    """A hook that names a file which is not there (a worktree's path) is answered from where the session was read."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    transcript.typed("Not in the cache.")
    reply = chain.hook("PreCompact", transcript, transcript_path="/nowhere/x.jsonl")
    assert b"Not in the cache." in reply


@pytest.mark.parametrize("path", ["/nowhere/x.jsonl", "/etc/passwd", "relative.jsonl", "", 7, None])
def test_precompact_without_a_transcript_says_nothing(chain, path):
    """Nothing known, nothing said, nothing read that is no transcript, no error."""
    assert chain.hook("PreCompact", chain.transcript(), transcript_path=path) == b""
    assert chain.store.sessions() == []


def test_waiting_leaves_time_to_answer():
    """A last look, and the wait for the hooks of earlier parts, end well before the hook is sent to its disk."""
    assert LOOK + 0.05 <= giving.PATIENCE < deadline(Request(1, "claude-code", "SessionStart", 1, None, b"")) == 0.2


def test_hooks_fall_to_disk_while_the_worker_is_held_up(chain, tmp_path, monkeypatch):
    """A worker that is stuck in one job costs PreCompact its deadline and SessionStart nothing."""
    monkeypatch.setattr(giving, "LOOK", 0.01)
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    held = threading.Event()
    chain.worker.submit(Urgency.HOOK, lambda _: held.wait(20))

    async def talk(event, part, **payload):
        body = json.dumps({"session_id": transcript.session, "transcript_path": str(transcript.path)} | payload)
        reader, writer = await asyncio.open_unix_connection(tmp_path / "s")
        writer.write(f"1 claude-code {event} {part} cli {len(body)}\n{body}".encode())
        start = time.monotonic()
        reply = await reader.read()
        writer.close()
        return reply, time.monotonic() - start

    async def session():
        server = Server(tmp_path / "s", chain.answers)
        await server.start()
        try:
            return await talk("PreCompact", "-"), await talk("SessionStart", 1, source="compact")
        finally:
            held.set()
            await server.stop()

    (late, waited), (prompt, _) = chain.run(session())
    assert (late, 1.4 < waited < 10) == (b"disk 0\n", True)
    assert b"Make the gateway fast." in prompt


def test_a_hook_gets_in_between_the_steps_of_a_large_ingest(chain, monkeypatch):
    """`memd ingest` of megabytes through the daemon is cut into steps: a PreCompact meanwhile is answered at once."""
    large = long_session(chain.transcript(OTHER), 10)
    for _ in range(6):
        large.runs("cat big", "x" * 1_000_000)
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    pipeline = chain.job(lambda pipeline: pipeline)
    began, asked, order, steps, step = threading.Event(), threading.Event(), [], [], pipeline.step

    def held(tool, path):
        """The ingest's first step lasts until the hook has asked."""
        steps.append(path)
        began.set()
        asked.wait(10)
        return step(tool, path)

    monkeypatch.setattr(pipeline, "step", held)

    async def both():
        async def ask(tool, event, body, name):
            await chain.answers(Request(1, tool, event, None, "cli", json.dumps(body).encode()))
            order.append(name)

        ingest = asyncio.create_task(ask("memd", "ingest", {"paths": [str(large.path)], "tool": None}, "ingest"))
        await asyncio.to_thread(began.wait, 10)
        payload = {"session_id": transcript.session, "transcript_path": str(transcript.path)}
        hook = asyncio.create_task(ask("claude-code", "PreCompact", payload, "hook"))
        await asyncio.sleep(0.02)  # its first job stands in the queue
        asked.set()
        await asyncio.gather(ingest, hook)

    chain.run(both())
    assert order == ["hook", "ingest"]
    assert steps[:3] == [large.path, transcript.path, large.path]


# resume, fork, startup, clear


def test_resume_gives_one_line_while_the_context_is_whole(chain):
    """No compaction lies behind, so nothing was lost: a line that says where the record is, without code or end mark."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    first, *others = chain.parts(transcript, "resume")
    line = f"memd: session {transcript.id} is recorded (checkpoint 1); `memd show {transcript.id}` shows"
    assert given(first).startswith(line)
    assert marks.find(given(first)) is None
    assert others == [b"", b"", b""]


def test_resume_gives_the_checkpoint_after_a_compaction_that_got_none(chain):
    """The compaction went by without memd: the whole text comes on resume, and only until it was given."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    transcript.compacts()
    transcript.turn("Go on.")
    chain.read(transcript)
    reply = chain.parts(transcript, "resume")[0]
    assert marks.find(given(reply)).code == chain.store.checkpoints.current(transcript.id).receipt
    transcript.now().injected(given(reply), "resume")
    transcript.turn("Further.")
    chain.read(transcript)
    assert marks.find(given(chain.parts(transcript, "resume")[0])) is None


def test_a_fork_gets_its_sources_checkpoint_until_it_has_its_own(chain):
    """The fork's context is its source's; the marks name the source."""
    source = chain.transcript()
    source.turn("Make the gateway fast.")
    source.compacts()
    source.turn("Go on.")
    chain.read(source)
    fork = chain.transcript(OTHER)
    fork.row(type="permission-mode", permissionMode="default", forkedFrom={"sessionId": source.session})
    fork.row(
        type="user", isMeta=True, message={"role": "user", "content": "x"}, forkedFrom={"sessionId": source.session}
    )
    chain.job(lambda pipeline: pipeline.read_whole(*pipeline_source(fork)))
    found = marks.find(given(chain.parts(fork, "fork")[0]))
    assert found.session == source.id
    chain.settle()
    delivery = chain.store.deliveries.last(fork.id)
    assert (delivery.number, delivery.hook) == (found.number, "SessionStart:fork")
    fork.turn("The fork's own way.")
    chain.read(fork)
    assert marks.find(given(chain.parts(fork, "fork")[0])) is None  # its own: no compaction lies behind it


def pipeline_source(transcript):
    from memd.tools.registry import TOOLS  # noqa: PLC0415

    return TOOLS["claude-code"], transcript.path


@pytest.mark.parametrize("source", ["startup", "clear"])
def test_an_interactive_start_names_the_ended_session_before(chain, source):
    """One line, in the same directory only, and nothing of the other session's content."""
    old, elsewhere, new = (
        chain.transcript(f"{OTHER[:-1]}{n}", cwd=cwd) for n, cwd in enumerate(["/srv/work", "/x", "/srv/work"])
    )
    old.turn("The secret plan.")
    elsewhere.turn("Elsewhere.")
    chain.read(old, elsewhere)
    chain.hook("SessionEnd", old, reason="clear")
    first, *others = chain.parts(new, source)
    assert given(first).startswith(f"memd: the session before this one in this directory is {old.id}, last active ")
    assert "secret plan" not in given(first)
    assert (given(first).count("\n"), others) == (0, [b"", b"", b""])


def test_a_hooks_relative_directory_is_none(chain):
    """It is told from where the hook ran, which nobody knows: two of one spelling need not be one directory."""
    old, new = chain.transcript(OTHER, cwd="work"), chain.transcript(cwd="work")
    old.turn("The secret plan.")
    chain.read(old)
    chain.hook("SessionEnd", old, reason="clear")
    assert chain.parts(new, "startup") == [b""] * 4


def test_a_session_that_still_runs_is_not_the_one_before(chain):
    """A second terminal in the same directory works on: it did not end, so it is not named."""
    old, new = chain.transcript(OTHER), chain.transcript()
    old.turn("Still at it.")
    chain.read(old)
    assert chain.parts(new, "startup") == [b""] * 4


@pytest.mark.parametrize("entrypoint", ["sdk-cli", "sdk-py", None])
@pytest.mark.parametrize("source", ["startup", "clear"])
def test_headless_starts_are_given_nothing(chain, source, entrypoint):
    old, new = chain.transcript(OTHER), chain.transcript()
    old.turn("Make the gateway fast.")
    chain.read(old)
    chain.hook("SessionEnd", old)
    chain.settle()
    assert chain.hook("SessionStart", new, part=1, source=source, entrypoint=entrypoint) == b""


@pytest.mark.parametrize("event", ["SessionStart", "PreCompact", "SessionEnd"])
def test_a_sub_agents_event_gets_nothing_and_changes_nothing(chain, event):
    """Its payload names the parent's session, whose checkpoint is not for it."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    transcript.compacts()
    chain.read(transcript)
    before = chain.store.session(transcript.id)
    assert chain.hook(event, transcript, part=1, source="compact", agent_id="a1") == b""
    chain.settle()
    assert chain.store.session(transcript.id) == before
    assert chain.store.deliveries.last(transcript.id) is None


# SessionEnd


def test_session_end_marks_the_session_ended_with_all_that_it_wrote(chain):
    """Rows written right before the end are read first; none of them takes the end back."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    transcript.now().turn("Goodbye.")
    chain.hook("SessionEnd", transcript, reason="prompt_input_exit")
    chain.settle()
    known = chain.store.session(transcript.id)
    assert (known.messages, known.ended_at is not None) == (4, True)


def test_a_resumed_session_is_not_ended_any_more(chain):
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.hook("SessionEnd", transcript)
    chain.settle()
    assert chain.store.session(transcript.id).ended_at is not None
    chain.parts(transcript, "resume")
    chain.settle()
    assert chain.store.session(transcript.id).ended_at is None


# Proof of delivery


def level(chain, transcript):
    chain.read(transcript)
    return chain.store.deliveries.last(transcript.id).level


def test_delivery_goes_from_written_to_complete_by_the_transcripts_rows(chain):
    """Handed to the hook: written. Some parts in the transcript: delivered. All of them with the end mark: complete."""
    transcript = long_session(chain.transcript())
    chain.read(transcript)
    texts = [given(reply) for reply in chain.parts(transcript) if reply]
    assert len(texts) > 1
    assert level(chain, transcript) == "written"
    transcript.now().compacts()
    for text in texts[1:]:
        transcript.injected(text)
        assert level(chain, transcript) == "delivered"
    transcript.injected(texts[0])
    assert level(chain, transcript) == "complete"
    assert len(chain.store.deliveries.all(transcript.id)) == 1


def test_what_a_hook_read_from_disk_is_proved_as_well(chain):
    """The daemon was down and saw no request: the marks in the transcript are enough."""
    transcript = long_session(chain.transcript())
    chain.read(transcript)
    replies = chain.folders.replies(chain.folders.session("claude-code", transcript.session))
    texts = [given(replies.get(f"SessionStart.compact.{part}")) for part in range(1, 5)]
    transcript.now().compacts()
    for text in filter(None, texts):
        transcript.injected(text)
    assert level(chain, transcript) == "complete"


def test_a_forks_copied_rows_prove_nothing_of_its_own_checkpoints(chain):
    """Copied injections carry the source's numbers: the fork's checkpoint of that number was never given."""
    source = long_session(chain.transcript())
    chain.read(source)
    texts = [given(reply) for reply in chain.parts(source) if reply]
    fork = chain.transcript(OTHER).now()
    for text in texts:
        fork.injected(text)
    fork.turn("The fork's own way.")
    chain.read(fork)
    made, proved = chain.store.checkpoints.current(fork.id), chain.store.deliveries.last(fork.id)
    assert made.number == 1
    assert proved.code == chain.store.checkpoints.get(source.id, proved.number).receipt
    assert proved.code != made.receipt


def test_a_part_from_before_a_checkpoint_was_made_is_not_of_it(chain):
    """A part without the end mark names a number only: in a fork's copied rows it is the source's number."""
    transcript = chain.transcript(at=time.time() - 3_600)
    transcript.turn("The fork's own way.")
    chain.read(transcript)
    transcript.injected(f"{marks.opening(1, 1, 3)}Somebody else's checkpoint.")
    chain.read(transcript)
    assert chain.store.deliveries.last(transcript.id) is None
    transcript.now().injected(f"{marks.opening(1, 1, 3)}Its own.")
    chain.read(transcript)
    assert chain.store.deliveries.last(transcript.id).level == "delivered"


def test_parts_leave_in_their_order_however_they_are_asked_for(chain, monkeypatch):
    """The client shows them as their hooks end: each part waits until the hooks of earlier ones have ended."""
    monkeypatch.setattr(giving, "PATIENCE", 20.0)
    transcript = long_session(chain.transcript())
    chain.hook("PreCompact", transcript, trigger="auto")
    ended = []

    async def hook(part):
        """A hook: it asks, and its process is over a moment after it was answered, the earlier the part the later."""
        payload = {"session_id": transcript.session, "source": "compact", "transcript_path": str(transcript.path)}
        gone = asyncio.Event()
        request = Request(1, "claude-code", "SessionStart", part, "cli", json.dumps(payload).encode(), gone)
        text = given(await chain.answers(request))
        await asyncio.sleep(0.02 / part)
        ended.append((part, bool(text)))
        gone.set()

    async def all_at_once():
        await asyncio.gather(*(hook(part) for part in (4, 3, 2, 1)))

    chain.run(all_at_once())
    parts = [part for part, text in ended if text]
    assert len(parts) > 1
    assert parts == sorted(parts)


def test_a_part_waits_for_none_that_is_not_under_way(chain, monkeypatch):
    """It is answered when the hooks of the others have ended, or were never started; waiting for those would never end."""
    monkeypatch.setattr(giving, "PATIENCE", 3600.0)
    transcript = long_session(chain.transcript())
    chain.hook("PreCompact", transcript, trigger="auto")
    assert given(chain.hook("SessionStart", transcript, part=2, source="compact")).startswith("memd checkpoint ")


def compacted_a_turn_ago(chain):
    """A long session a turn after a compaction, and what was given back for that."""
    transcript = long_session(chain.transcript())
    chain.read(transcript)
    whole = chain.parts(transcript)
    transcript.now().compacts()
    for reply in filter(None, whole):
        transcript.injected(given(reply))
    transcript.turn("One more thing.")
    chain.read(transcript)
    return transcript, whole


def test_the_short_form_comes_within_three_turns_of_a_compaction(chain):
    """The whole text was given a moment ago: the next compaction gets the mission, the request and the next step."""
    transcript, whole = compacted_a_turn_ago(chain)
    short = chain.parts(transcript)
    assert short[1:] == [b"", b"", b""]
    assert len(given(short[0])) < 3_000 < sum(len(given(reply)) for reply in whole if reply)
    assert marks.find(given(short[0])).code
    for number in range(3):
        transcript.turn(f"Turn {number}.")
    chain.read(transcript)
    assert [bool(reply) for reply in chain.parts(transcript)][:2] == [True, True]


def test_the_short_form_comes_where_the_compaction_was_read_before_its_hook_asks(chain):
    """A client may tell of a compaction long after it: the text that was made since is for that one, not for the next."""
    transcript, _ = compacted_a_turn_ago(chain)
    chain.hook("PreCompact", transcript, trigger="manual")
    transcript.now().compacts()
    chain.read(transcript)
    (short, *more) = chain.parts(transcript)
    assert more == [b"", b"", b""]
    assert len(given(short)) < 3_000


def test_compactions_that_are_told_of_together_get_one_text(chain):
    """Two by hand, one after the other, and both hooks ask with the next prompt: the whole text once, and no copy of it."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    for _ in range(2):
        chain.hook("PreCompact", transcript, trigger="manual")
        transcript.compacts()
    first, again = chain.parts(transcript), chain.parts(transcript)
    assert "Make the gateway fast." in given(first[0])
    assert again == [b""] * 4
    assert chain.parts(transcript) == first, "who asks once more did not get it"
    chain.hook("PreCompact", transcript, trigger="manual")
    assert "Make the gateway fast." in given(chain.parts(transcript)[0])


# The command line's side


def test_a_defect_of_the_daemon_is_not_an_answer(chain):
    """Unknown and malformed requests get words, never silence that looks like success."""
    assert chain.control("nonsense") == {"error": "no such request: nonsense"}
    assert (
        chain.run(chain.answers(Request(1, "memd", "ping", None, None, b"[]"))) == b'{"error": "no such request: ping"}'
    )


def test_what_the_machine_refuses_a_command_is_said_to_it(chain, monkeypatch):
    """Who asks for a checkpoint that cannot be written hears why, beside a daemon as without one."""

    async def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/state/history/.0003.new")

    monkeypatch.setitem(chain.answers.controls, "checkpoint", full)
    assert chain.control("checkpoint") == {"error": "/state/history/.0003.new: No space left on device"}


def test_other_tools_and_garbage_are_sent_to_the_disk(chain):
    for tool, body in (
        ("codex", b"{}"),
        ("claude-code", b"not json"),
        ("claude-code", b"{}"),
        ("claude-code", b"[" * 9999),
    ):
        assert chain.run(chain.answers(Request(1, tool, "SessionStart", 1, "cli", body))) is None


def test_a_hook_makes_its_transcript_a_live_one(chain, tmp_path):
    """Also where no root leads to it: in another home of the tool."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.hook("SessionStart", transcript, part=1, source="startup")
    chain.settle()
    assert chain.live == [transcript.path]
    assert chain.store.session(transcript.id).messages == 2


# A compaction whose own hook gave nothing


def lost_compaction(chain, *, records=True):
    """A session that was compacted, and the client's hook said nothing to the model.

    `records`: the client writes into its transcript what it gives the model beside messages.
    """
    transcript = chain.transcript()
    if records:
        transcript.row(type="attachment", attachment={"type": "environment"})
    transcript.turn("Make the gateway fast, the port is 9443.")
    chain.read(transcript)
    transcript.compacts()
    chain.read(transcript)
    return transcript


def test_the_next_prompt_gets_what_the_compactions_own_hook_did_not_bring(chain):
    """It ran and succeeded, and the model never saw its text: then the prompt's hook brings it, in one part."""
    transcript = lost_compaction(chain)
    reply = chain.hook("UserPromptSubmit", transcript, prompt="go on")
    assert json.loads(reply)["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "the port is 9443" in given(reply)
    assert marks.find(given(reply)).code


def test_a_prompt_gets_nothing_where_the_text_arrived(chain):
    """The usual case: every prompt asks, and none is told a word."""
    transcript = lost_compaction(chain)
    transcript.injected(given(chain.hook("SessionStart", transcript, part=1, source="compact")))
    chain.read(transcript)
    assert chain.hook("UserPromptSubmit", transcript, prompt="go on") == b""


def test_a_prompt_gets_nothing_while_the_text_is_on_its_way(chain):
    """What a start was given a moment ago is not in the transcript yet: it must not come twice."""
    transcript = lost_compaction(chain)
    assert chain.hook("SessionStart", transcript, part=1, source="resume")
    assert chain.hook("UserPromptSubmit", transcript, prompt="go on") == b""


def test_what_a_prompt_brought_is_brought_once(chain):
    """The transcript shows it, so the next prompt gets nothing."""
    transcript = lost_compaction(chain)
    transcript.injected(given(chain.hook("UserPromptSubmit", transcript, prompt="go on")))
    chain.read(transcript)
    assert chain.hook("UserPromptSubmit", transcript, prompt="and on") == b""


def test_a_prompt_gets_nothing_from_a_client_that_records_no_hooks(chain):
    """In its transcript a text leaves no trace, so nothing tells that it did not arrive: it must not come with each prompt."""
    transcript = lost_compaction(chain, records=False)
    assert chain.hook("UserPromptSubmit", transcript, prompt="go on") == b""
    assert given(chain.hook("SessionStart", transcript, part=1, source="resume")).startswith("memd checkpoint")


def test_a_resume_right_after_a_compaction_gets_the_text(chain):
    """A headless run compacts and ends, and the next one begins before anybody has read that."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast, the port is 9443.")
    chain.read(transcript)
    transcript.compacts()
    assert "the port is 9443" in given(chain.hook("SessionStart", transcript, part=1, source="resume"))


def test_a_session_that_compacts_as_it_goes_on_gets_the_text_once(chain):
    """The client compacts first and then tells of both: what going on brought is not brought again, the next one's is."""
    transcript = chain.transcript()
    transcript.turn("Make the gateway fast.")
    chain.read(transcript)
    chain.hook("PreCompact", transcript, trigger="auto")
    transcript.compacts()
    gone_on = chain.hook("SessionStart", transcript, part=1, source="resume")
    assert chain.hook("SessionStart", transcript, part=1, source="compact") == b""
    transcript.now().injected(given(gone_on), "resume")
    transcript.turn("Go on.")
    chain.hook("PreCompact", transcript, trigger="auto")
    transcript.compacts()
    again = chain.hook("SessionStart", transcript, part=1, source="compact")
    assert len(numbers([gone_on])) == len(numbers([again])) == 1
    assert numbers([gone_on]) != numbers([again])
