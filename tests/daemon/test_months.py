"""A daemon that runs for months holds no more of what it knows of sessions and transcripts than it needs now."""

from contextlib import closing
from pathlib import Path

from transcript import Transcript

from memd.config import Config, paths
from memd.daemon import gate, giving, keeper, planning
from memd.daemon.ahead import KEPT, Ahead
from memd.daemon.life import Came, Chain
from memd.daemon.pipeline import Pipeline
from memd.daemon.planning import Plan
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]
NAMES = [f"a6eb2b9c-0000-4000-8000-00000000000{number}" for number in range(4)]


def pipeline(folder, **settings):
    return closing(
        Pipeline(Config(**settings), paths({"MEMD_STATE_DIR": str(folder / "state")}), environ={"HOME": "/"})
    )


def transcripts(folder):
    for name in NAMES:
        one = Transcript(folder / "projects" / "-srv-work" / f"{name}.jsonl")
        one.turn("Make the gateway fast.")
        yield one


def sizes(*holders):
    """How many entries each object that remembers by session or transcript has."""
    return {len(value) for one in holders for value in vars(one).values() if isinstance(value, dict)}


def test_what_a_refresh_leaves_is_bounded(tmp_path, monkeypatch):
    """Of a session that is forgotten it is worked out again: its checkpoint stays the one that it was."""
    monkeypatch.setattr(keeper, "SESSIONS", 2)
    with pipeline(tmp_path) as one:
        sessions = [one.read_whole(CLAUDE, each.path) for each in transcripts(tmp_path)]
        first = [one.refresh(name, "turn").number for name in sessions]
        assert sizes(one.keeper) == {2}
        assert [one.refresh(name, "turn").number for name in sessions] == first
        assert one._noting._unheard == set()


def test_how_long_refreshes_take_is_bounded(monkeypatch):
    """It is known of the last sessions."""
    monkeypatch.setattr(planning, "SESSIONS", 2)
    plan = Plan()
    for name in NAMES:
        plan.took(name, 0.0)
    assert sizes(plan) == {0, 2}


def test_only_transcripts_that_are_turned_away_are_remembered(tmp_path, monkeypatch):
    """Those that are recorded stand in the record; of the others one that is forgotten is turned away again."""
    monkeypatch.setattr(gate, "TURNED_AWAY", 2)
    with pipeline(tmp_path) as one:
        for each in transcripts(tmp_path):
            one.read_whole(CLAUDE, each.path)
        assert sizes(one.gate) == {0}
    with pipeline(tmp_path / "ignoring", ignore=("**",)) as one:
        found = [one.read_whole(CLAUDE, each.path) for each in (*transcripts(tmp_path), *transcripts(tmp_path))]
        assert (set(found), sizes(one.gate), one.store.sessions()) == ({None}, {2}, [])


def test_where_the_second_process_failed_is_bounded(tmp_path):
    """One that is forgotten is tried once more."""
    ahead = Ahead(lambda _: None, lambda _: None)
    with pipeline(tmp_path) as one:
        for number in range(KEPT + 5):
            chain = Chain(CLAUDE, str(Path("/p") / f"{number}.jsonl"), (4, 0.0), None, 1)
            chain.over = number % 2 == 0
            ahead.settle(one, Came(chain, why="it is rubbish"))
    assert sizes(ahead) == {0, (KEPT + 5) // 2, KEPT}


def test_what_was_given_is_bounded(chain, monkeypatch):
    """What a session was given and is to be told of, for the last sessions that compacted."""
    monkeypatch.setattr(giving, "MOST_GIVEN", 2)
    chain.answers._giving = one = giving.Giving(chain.worker, chain.folders, lambda: chain.store)
    for each in transcripts(chain.folder):
        chain.read(each)
        chain.hook("PreCompact", each, trigger="manual")
        chain.hook("PreCompact", each, trigger="manual")
        each.compacts()
        assert chain.hook("SessionStart", each, part=1, source="compact")
        chain.answer("opencode", "Request", {"session_id": f"ses_{each.session[-1]}"})
        one._stands[each.session] = 1
    bounded = {name for name, value in vars(one).items() if isinstance(value, dict) and len(value) == 2}
    assert bounded == {"_gave", "_stands", "_told", "_untold", "_begun"}
