"""A fork: what its checkpoint takes over from its source, through the chain."""

import json

from chain import Chain

from memd.config import Config, TrustSettings
from memd.daemon import lineage
from memd.model import Channel, Grade, Tick
from memd.render import outline

FORK = "5d1f0c1e-7b1a-4b7e-9a52-000000000002"


def forked(chain, source, *, since=0, name=FORK, **stamped):
    """A fork as the client writes it: the source's rows from one on, under the same ids, with its own session on them."""
    fork = chain.transcript(name)
    for line in source.path.read_text().splitlines()[since:]:
        fork.raw(json.dumps(json.loads(line) | {"sessionId": fork.session} | stamped).encode() + b"\n")
    return fork.now()


def mission(checkpoint):
    return outline.sections(checkpoint.parts.mind)["Mission"]


def test_a_fork_goes_on_with_the_mission_and_the_persons_words(chain):
    """What the fork adds is its request, and takes the place of nothing."""
    source = chain.transcript()
    source.turn("Build a parser.")
    source.turn("Never use regexes.")
    chain.read(source)
    fork = forked(chain, source)
    fork.turn("Rename f to g.")
    chain.read(fork)
    made = chain.store.checkpoints.current(fork.id)
    assert mission(made) == ["- M1 [active] Build a parser. (#1)"]
    assert "] #3 " in made.parts.memo
    assert "human.typed | Never use regexes." in made.parts.memo
    assert '(#5): "Rename f to g."' in made.parts.scene


def test_a_fork_after_a_compaction_keeps_the_mission_that_its_file_does_not_hold(chain):
    """The client copies only what follows the last compaction; the rest is cited where it stands."""
    source = chain.transcript()
    source.turn("Build a parser.")
    source.turn("Never use regexes.")
    source.typed(
        "<task-notification>done</task-notification>", origin={"kind": "task-notification"}, promptSource="system"
    )
    since = len(source.path.read_text().splitlines())
    source.compacts()
    chain.read(source)
    fork = forked(chain, source, since=since)
    fork.turn("Rename f to g.")
    chain.read(fork)
    made = chain.store.checkpoints.current(fork.id)
    assert mission(made) == [f"- M1 [active] Build a parser. (#1 of {source.id})"]
    told = f"what was said there before (2) is in force here too: `memd log {source.id} --human`. (own judgement)"
    assert f"- This session was forked from {source.id}; {told}" in made.parts.mind
    assert "Rename f to g." in made.parts.memo


def test_a_fork_gives_back_what_was_said_before_it_after_its_own_compaction(chain):
    """Its file does not hold those words, so they would be gone with the context that its source's checkpoint was in."""
    source = chain.transcript()
    source.turn("Build a parser.")
    source.turn("Never use regexes;\n  “not one”.")
    since = len(source.path.read_text().splitlines())
    source.compacts()
    chain.read(source)
    fork = forked(chain, source, since=since)
    fork.turn("Rename f to g.")
    fork.turn("And h to i.")
    chain.read(fork)
    fork.compacts()
    chain.read(fork)

    text = (chain.folders.session("claude-code", fork.session) / "checkpoint.md").read_text()
    title = f"## Said before the fork, in {source.session[:13]}, verbatim"
    assert f"{title}\n#3:\nNever use regexes;\n  “not one”.\n" in text
    assert text.count("Build a parser.") == 1
    assert ": Rename f to g.\n" in text
    assert "Never use regexes" not in chain.store.checkpoints.current(fork.id).parts.memo


def test_a_headless_fork_still_knows_what_a_person_typed(chain):
    """The client stamps its own entrypoint on the copies; where they were first delivered tells who spoke."""
    source = chain.transcript()
    source.turn("Build a parser.")
    chain.read(source)
    fork = forked(chain, source, entrypoint="sdk-cli")
    chain.read(fork)
    assert "human.typed | Build a parser." in chain.store.checkpoints.current(fork.id).parts.memo


def test_a_fork_of_a_fork_has_what_both_were_asked_and_nothing_twice(chain):
    """Each file holds what follows its source's last compaction."""
    source = chain.transcript()
    source.turn("Build a parser.")
    since = len(source.path.read_text().splitlines())
    source.compacts()
    source.turn("Never use regexes.")
    first = forked(chain, source, since=since)
    first.turn("Rename f to g.")
    whole = forked(chain, first, name=f"{FORK[:-1]}3")
    whole.turn("Go on with both.")
    since = len(first.path.read_text().splitlines())
    first.compacts()
    last = forked(chain, first, since=since, name=f"{FORK[:-1]}4")
    last.turn("Now the tests.")
    chain.read(source, first, whole, last)
    made, other = (chain.store.checkpoints.current(fork.id) for fork in (last, whole))
    assert mission(made) == mission(other) == [f"- M1 [active] Build a parser. (#1 of {source.id})"]
    logs = f"`memd log {source.id} --human`, `memd log {first.id} --human`"
    assert f"what was said there before (3) is in force here too: {logs}. (own judgement)" in made.parts.mind
    assert "what was said there before (1)" in other.parts.mind


def test_a_trusted_host_vouches_for_no_words_that_it_only_copied(tmp_path):
    """A program's prompt stays the operator's in a fork that an editor makes; what the editor brings itself is the person's."""
    chain = Chain(tmp_path, Config(trust=TrustSettings(hosts=("claude-vscode",))))
    try:
        source = chain.transcript(entrypoint="sdk-cli")
        source.typed("Build a parser.", promptSource="sdk", origin=None)
        source.says("Done.")
        chain.read(source)
        fork = forked(chain, source, entrypoint="claude-vscode")
        fork.typed("Never use regexes.", promptSource="sdk", origin=None, entrypoint="claude-vscode")
        fork.says("Done.")
        chain.read(fork)

        memo = chain.store.checkpoints.current(fork.id).parts.memo
        assert "human.typed | Build a parser." not in memo
        assert "human.typed | Never use regexes." in memo
    finally:
        chain.close()


def test_a_fork_goes_on_with_what_was_judged_before_it(chain):
    """The source's mind, as a person left it, and their boxes; what was edited there later is the source's alone."""
    source = chain.transcript()
    source.turn("Build a parser.")
    source.turn("Never use regexes.")
    chain.read(source)
    place = chain.folders.session("claude-code", source.session) / "mind.md"
    learned = place.read_text().replace("# Lessons\n\n(none)", "# Lessons\n\n- [confirmed] Tabs break it. (#3)")
    place.write_text(learned)
    chain.job(lambda p: p.store.judging.tick(source.id, [Tick(1, ticked=False, person=True)]))
    chain.job(lambda p: p.refresh(source.id, "turn"))
    fork = forked(chain, source)
    fork.turn("Rename f to g.")
    source.turn("Now the docs.")
    chain.read(source)
    place.write_text(place.read_text().replace("Tabs", "Spaces"))
    chain.job(lambda p: p.refresh(source.id, "turn"))
    chain.read(fork)
    made = chain.store.checkpoints.current(fork.id)
    assert "- [confirmed] Tabs break it. (#3)\n" in made.parts.mind
    assert "- [ ] #1 " in made.parts.memo
    assert "Rename f to g." in made.parts.scene
    assert "Spaces" in chain.store.checkpoints.current(source.id).parts.mind


def test_what_was_typed_is_so_in_a_copy_that_a_program_made(chain):
    """A headless fork writes its own entrypoint into the copies; what it adds itself stays the operator's."""
    source = chain.transcript()
    source.turn("Build a parser.")
    chain.read(source)
    fork = forked(chain, source, entrypoint="sdk-cli")
    fork.typed("Rename f to g.", promptSource="sdk", origin=None, entrypoint="sdk-cli")
    chain.read(fork)
    told = lineage.attributed(chain.store, chain.store.messages(fork.id))
    said = [(record.channel, record.grade) for record in told if record.channel is not Channel.AGENT_TEXT]
    assert said == [(Channel.HUMAN_TYPED, Grade.PROVED), (Channel.OPERATOR_HEADLESS, Grade.PROVED)]
