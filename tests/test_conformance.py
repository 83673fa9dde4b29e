"""An outsider's measure: what of a session survives five compactions (compaction-conformance-kit 0.8, without a model).

docs/checkpoint.md has the figures. Everything goes through a transcript, `memd ingest` and `memd show`: see `compactor`.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from compaction_kit.corpus import build_random_session
from compaction_kit.runner import run_conformance
from compaction_kit.semantic_corpus import build_semantic_heldout_session, build_semantic_session
from compaction_kit.session import build_seeded_session
from compactor import Memd

HERE = Path(__file__).parent
ROUNDS = 5


def held(text, tokens):
    return all(token.lower() in text.lower() for token in tokens)


def test_the_kits_own_check_finds_nothing_lost():
    """`compaction-kit check`: no type of statement flagged, none lost in any of five rounds."""
    command = [sys.executable, "-m", "compaction_kit.cli", "check", f"{HERE / 'compactor.py'}:Memd", "--format", "json"]
    done = subprocess.run(
        command,
        env={"PYTHONPATH": str(HERE), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    findings = json.loads(done.stdout)["findings"]
    assert [finding["final_survival"] for finding in findings] == [1.0] * 5


@pytest.mark.parametrize("seed", [1, 2])
def test_all_of_a_random_session_survives_and_it_does_not_grow(seed, tmp_path):
    """Twenty statements at random places; what is given back in the fifth round is no longer than in the first."""
    session, canaries = build_random_session(seed)
    run = run_conformance(session, Memd(tmp_path), rounds=ROUNDS, canaries=canaries)
    assert [canary for one in run.rounds for canary, kept in one.survived.items() if not kept] == []
    assert run.rounds[-1].output_chars <= run.rounds[0].output_chars * 1.02


@pytest.mark.parametrize("build", [build_semantic_session, build_semantic_heldout_session])
def test_statements_that_resemble_each_other_both_survive(build, tmp_path):
    """Nothing is merged that only looks alike. A statement that was reworded later stands as well: structure cannot tell."""
    session, canaries, about = build(1)
    text = run_conformance(session, Memd(tmp_path), rounds=ROUNDS, canaries=canaries).rounds[-1].context.text
    known = {canary.id: canary for canary in canaries}
    assert [c.id for c in canaries if not held(text, c.required_tokens)] == []
    stale = [one for one in about["conflicts"] if any(held(text, [old]) for old in known[one].superseded_tokens)]
    assert len(stale) == len(about["conflicts"])
    order = [text.index(words) for words in about["initial_statements"].values() if words in text]
    assert len(order) == len(about["initial_statements"])


@pytest.mark.parametrize(
    ("build", "rounds"), [(lambda: (build_seeded_session(), None), ROUNDS), (lambda: build_random_session(2), 1)]
)
def test_at_three_tenths_all_of_it_survives(build, rounds, tmp_path):
    """At three tenths of the session, in characters: every statement, in every round, within the budget."""
    session, canaries = build()
    run = run_conformance(session, Memd(tmp_path), rounds=rounds, canaries=canaries, budget_fraction=0.3)
    assert [canary for one in run.rounds for canary, kept in one.survived.items() if not kept] == []
    assert [one.within_budget for one in run.rounds] == [True] * rounds


def test_at_three_tenths_statements_that_resemble_each_other_both_survive(tmp_path):
    """Distinct ones and the latest of those that were reworded."""
    session, canaries, about = build_semantic_session(1)
    run = run_conformance(session, Memd(tmp_path), rounds=1, canaries=canaries, budget_fraction=0.3)
    kept = run.rounds[-1].survived
    assert [pair for pair in about["distinct_pairs"] if not all(kept[one] for one in pair)] == []
    assert [canary for canary in kept if not kept[canary]] == []


def test_a_value_that_was_restated_points_to_the_later(tmp_path):
    """Of the kit's two updates in the same words the earlier carries a mark; reworded ones cannot be known by structure."""
    session, canaries = build_random_session(1)
    text = run_conformance(session, Memd(tmp_path), rounds=1, canaries=canaries).rounds[-1].context.text
    updated = [canary for canary in canaries if canary.superseded_tokens]
    for canary in updated:
        (stale,) = (row for row in text.splitlines() if canary.superseded_tokens[0] in row)
        later = re.search(r"\(again in #(\d+) with other values\)", stale)[1]
        assert f"#{later}: {canary.content}" in text.splitlines()
    assert text.count(" with other values)") == len(updated) == 2
