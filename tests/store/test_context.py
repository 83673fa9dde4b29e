"""How full the context is, and where it was compacted."""

from memd.model import Boundary, Compaction, Facts, Usage

from .builders import ONE, commit, message


def tokens(store):
    return store.session(ONE.session).tokens


def test_the_newest_answer_tells_how_full_the_context_is(store):
    """Newest by order in the transcript, not by time or size; the model goes with it."""
    commit(store, Facts(model="m0"), Usage("u1", 9, 500, "m1"), Usage("u2", 8, 300))
    assert (tokens(store), store.session(ONE.session).model) == (300, "m1")
    commit(store, Usage("u3", 7, 400, "m3"))
    assert (tokens(store), store.session(ONE.session).model) == (400, "m3")


def test_an_older_answer_that_is_read_again_changes_nothing(store):
    """A replay cannot empty the context."""
    commit(store, Usage("u1", 1, 100), Usage("u2", 2, 200))
    commit(store, Usage("u1", 1, 100))
    assert tokens(store) == 200


def test_an_answer_may_grow_while_it_is_written(store):
    """Several rows of one answer: the last of them counts."""
    commit(store, Usage("u1", 1, 100), Usage("u1", 1, 110))
    commit(store, Usage("u1", 1, 120))
    assert tokens(store) == 120


def test_a_compaction_is_a_boundary(store):
    """It stands behind the last message before it and is counted."""
    commit(store, message("a"), message("b"), Compaction("k1", 5, "auto", 900, 40), message("c"))
    commit(store, Compaction("k2", 6, "manual"))
    assert [Boundary(1, 2, 5, "auto", 900, 40), Boundary(2, 3, 6, "manual", None, None)] == store.boundaries(
        ONE.session
    )
    assert store.session(ONE.session).compactions == 2


def test_a_compaction_that_is_read_again_is_no_other(store):
    """The same key is recorded once, and the context is not emptied again."""
    commit(store, Compaction("k", 5, "auto", 900, 40), Compaction("k", 5, "auto", 900, 40))
    commit(store, Usage("u", 6, 70), Compaction("k", 5, "auto", 900, 40))
    assert (store.session(ONE.session).compactions, tokens(store)) == (1, 70)
    assert len(store.boundaries(ONE.session)) == 1


def test_after_a_compaction_the_old_size_is_forgotten(store):
    """The size is what the tool says it is after, else unknown until the next answer."""
    commit(store, Usage("u1", 1, 900), Compaction("k1", 2, "auto", 900, 40))
    assert tokens(store) == 40
    commit(store, Usage("u2", 3, 800), Compaction("k2", 4, "auto"))
    assert tokens(store) is None
    commit(store, Usage("u2", 3, 800))
    assert tokens(store) is None
    commit(store, Usage("u3", 5, 60))
    assert tokens(store) == 60


def test_boundaries_and_gaps_of_an_unknown_session(store):
    """There are none, and that is no error."""
    assert (store.boundaries("codex:nobody"), store.glances.gaps("codex:nobody")) == ([], {})
