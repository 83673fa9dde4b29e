"""Five rendered checkpoints, kept as files: a stranger can answer from each what is the mission, done, next, forbidden, where.

After a change of the text's form: `GOLDEN=write pytest tests/quality/test_golden.py`, then read what changed.
"""

import os
from pathlib import Path

import pytest
from factories import LIMITS, START
from golden_sessions import SESSIONS

from benchmarks import purpose
from memd import tokens
from memd.checkpoint import turn
from memd.extract import missions
from memd.render import compose
from memd.writers.extractive import Extractive

FOLDER = Path(__file__).parents[1] / "data" / "golden"
ANSWERS = {
    "steady": {
        "mission": "M1 [active] Move the checkout from Stripe API v1 to v2.",
        "done": "`git commit -am 'Move create_charge to v2'` exit 0 -> [v2 4afd4e4]",
        "next": "task 2 [in_progress]: Move capture_charge",
        "forbidden": "Do not touch the refunds",
        "where": "I work in `/srv/shop`",
        "when": "payments/charges.py (changed #",
    },
    "refused": {
        "mission": "The nightly import dies with a deadlock on the orders table.",
        "done": "changed `import_orders.py`",
        "next": "see what is left of request #12, then back to M1",
        "request": "The current request (#12), verbatim:\nWhat batch size do you use?",
        "forbidden": "never kill sessions in production",
        "where": "jobs/import_orders.py (changed #",
        "reason": '[approved] The plan "Import in batches of 500, ordered by order_id"',
        "dead end": '[cancelled] The person turned down the plan "Lock the whole table during the import"',
        "lesson": "failed (error: relation orders_staging does not exist); `make test-import DB=staging` worked",
    },
    "waiting": {
        "mission": "Release 3.2.0 of the site.",
        "done": "Done, not to be repeated: `git push --follow-tags` exit 0 -> 1a2b3c4..5d6e7f8 main -> main",
        "next": "background job `b7f31`: gh run watch 778812",
        "forbidden": "not typed by the person",
        "where": "https://github.com/acme/site/actions/runs/778812",
    },
    "headless": {
        "mission": "M1 [active] the operator's prompt (headless): Fix the flaky test test_retry_backoff",
        "done": '`gh pr create --title "Make test_retry_backoff exact"` exit 0 -> https://github.com/acme/lib/pull/212',
        "next": "see what is left of request #1, then back to M1",
        "forbidden": "Done, not to be repeated",
        "where": "tests/fake_clock.py (changed #",
    },
    "later": {
        "mission": "Port the tokenizer to Rust.",
        "done": "changed `decode.rs`",
        "next": "docs/release-0.9.md",
        "forbidden": "no unsafe code",
        "where": "I work in `/srv/engine`",
        "said before": "MAX_TOKEN stays 50257",
    },
}


def text(name, budget=2_000):
    material = SESSIONS[name]().material()
    first = missions.directing(material)
    made = turn.draft(material, Extractive(), first.number)
    _, content = turn.number(made, 7, START, "turn", "AB12CD")
    return compose(content, budget, tokens, LIMITS).text


@pytest.mark.parametrize("name", SESSIONS)
def test_the_text_is_as_it_was_read(name):
    """Every change of the form is seen, and read by somebody."""
    file = FOLDER / f"{name}.md"
    if os.environ.get("GOLDEN") == "write":
        file.write_text(f"{text(name)}\n", "utf-8")
    assert file.read_text("utf-8") == f"{text(name)}\n"


@pytest.mark.parametrize(("name", "question"), [(name, question) for name in ANSWERS for question in ANSWERS[name]])
def test_a_stranger_can_answer(name, question):
    """What is the mission, what is done, what is next, what must not be done, where is it."""
    assert ANSWERS[name][question] in text(name)


@pytest.mark.parametrize("name", SESSIONS)
def test_mission_and_what_is_forbidden_stay_in_a_small_text(name):
    """At half of the size as well."""
    small = text(name, 1_000)
    assert ANSWERS[name]["mission"] in small
    assert ANSWERS[name]["forbidden"] in small


@pytest.mark.parametrize("name", SESSIONS)
def test_references_share_their_line_with_what_they_are_for(name):
    """Four of five at least."""
    assert purpose.share(text(name)) >= 0.8
