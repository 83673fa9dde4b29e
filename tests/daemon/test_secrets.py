"""Secrets on their way from a transcript to the disk: nowhere but in the words of the person."""

from pathlib import Path

import pytest

CANARY = "npm" + "_" + "Qx7ZkP2vR9rLmT4wB8nYc3HdJ6sFgA1eK5uQ"
TYPED = "npm" + "_" + "Ty9edByHandW4wB8nXk5PzM2bV7tLq0RsC3x"
EDGE = " " * 780 + CANARY + " " * 800  # where an excerpt is cut


def on_disk(state: Path, secret: str) -> list[str]:
    """The files below the state folder, the database's included, that hold it."""
    return [path.name for path in state.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


@pytest.fixture
def spoken(chain):
    """A session in which everybody says a secret."""
    transcript = chain.transcript()
    transcript.typed(f"Publish it with {TYPED}, please.")
    transcript.says(f"I use {CANARY} now.", end=False)
    transcript.runs(f"npm publish --token {CANARY}", f"//registry/:_authToken={CANARY}")
    transcript.runs("cat .npmrc", EDGE)
    transcript.row(type="custom-title", customTitle=f"Publish with {CANARY}")
    told = {"role": "user", "content": f"<task-notification>{CANARY}</task-notification>"}
    transcript.row(type="user", message=told, origin={"kind": "task-notification"})
    transcript.row(type="queue-operation", operation="enqueue", content=f"and {TYPED}")
    block = {
        "type": "tool_use",
        "id": "open",
        "name": "Bash",
        "input": {"command": f"export T={CANARY}" + " x" * 3_000},
    }
    transcript._answer([block], "tool_use")
    chain.read(transcript)
    transcript.compacts(summary=f"The token is {CANARY}.")
    chain.read(transcript)
    return transcript


def test_what_others_say_leaves_no_secret_on_disk(chain, spoken):
    """Agent, tool, client, job, summary, title, and a call that is still open: no file holds it, nor half of it."""
    assert on_disk(chain.paths.state, CANARY) == []
    assert on_disk(chain.paths.state, CANARY[:12]) == []
    assert on_disk(chain.paths.state, CANARY[-12:]) == []
    texts = [record.text for record in chain.store.messages(spoken.id)]
    assert sum("[secret sha256:" in text for text in texts) >= 4


def test_what_the_person_says_is_kept_to_the_letter(chain, spoken):
    """The record and the memo have the person's own words, with the secret in them."""
    first = chain.store.message(spoken.id, 1)
    assert first.text == f"Publish it with {TYPED}, please."
    assert TYPED in chain.store.checkpoints.current(spoken.id).parts.memo


def test_the_same_secret_is_seen_to_be_the_same(chain, spoken):
    """The call and its result name it by the same sign."""
    call = chain.store.operations(spoken.id)[0]
    sign = call.target.partition("--token ")[2]
    assert sign.startswith("[secret sha256:")
    assert sign in call.result
