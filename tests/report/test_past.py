"""What was needed after a compaction, told by what came before and after it."""

from factories import Story
from msgspec.structs import replace
from pasts import past

from memd.model import Channel, Kind, State
from memd.report import needs
from memd.report.past import case
from memd.report.told import Given, How, compacted, summary_of


class Words:
    """A token is a word."""

    def count(self, text):
        return len(text.split())


def told():
    """A session of which the answer is known by hand."""
    story = Story("/srv/w")
    story.says("Move the gateway to conf/gateway.toml. Keep port_old open.")
    story.run("make check PART=1", "12 passed in /srv/w/build/out_1.log")
    story.call(Kind.EDIT, "/srv/w/src/app.py", detail={"old": "retry_limit = 1", "new": "retry_limit = 2"})
    story.tasks(("write the docs", "pending"), ("move the gateway", "completed"))
    story.agent("The hash is 4afd4e47, unusedName stays.")
    story.compacts()
    return story


def test_what_the_agent_used_again_is_needed():
    """Paths below the session's directory are relative to it; what was not used again is not needed."""
    story = told()
    story.run("make check PART=1 && make other PART=9")
    story.agent("Wrote src/app.py: retry_limit and newName after 4afd4e47.")
    found = case(past(story), story.boundaries[0])
    assert set(found.words) == {"src/app.py", "retry_limit", "4afd4e47"}
    assert found.commands == ("make check PART=1",)
    assert found.person == ("Move the gateway to conf/gateway.toml. Keep port_old open.",)
    assert found.tasks == ("write the docs",)


def test_what_was_shown_again_first_is_not_needed():
    """A tool's answer before the agent's own words found it again."""
    story = told()
    story.says("build/out_1.log 4afd4e47", Channel.TOOL_RESULT)
    story.agent("See /srv/w/build/out_1.log, 4afd4e47 and retry_limit.")
    assert case(past(story), story.boundaries[0]).words == ("retry_limit",)


def test_what_was_given_back_shows_nothing():
    """The summary and memd's own text are what is measured: they do not make a need go away."""
    story = told()
    story.says("Summary: retry_limit", Channel.HARNESS_SUMMARY)
    story.says("memd checkpoint 1, part 1 of 1\nretry_limit", Channel.MEMD_INJECTION)
    story.agent("I set retry_limit.")
    assert case(past(story), story.boundaries[0]).words == ("retry_limit",)


def test_rows_tell_more_than_their_excerpts():
    """What stands in an entry's row was shown whole, though the record keeps only some of it."""
    story = told()
    shown = story.says("[… left out …]", Channel.TOOL_RESULT)
    story.agent("retry_limit and 4afd4e47")
    seen = replace(past(story), rows={shown: frozenset({"retry_limit"})})
    assert case(seen, story.boundaries[0]).words == ("4afd4e47",)


def test_what_a_result_added_to_a_call_was_not_written():
    """A task list is a kind for itself; what a file held before it was written over is nobody's words."""
    story = told()
    story.tasks(("rename retry_limit", "pending"))
    story.call(
        Kind.CREATE, "/srv/w/a.py", detail={"existed": True, "old": "4afd4e47", "new": "port_old", "job": "retry_limit"}
    )
    assert case(past(story), story.boundaries[0]).words == ("port_old",)


def test_the_next_compaction_ends_it():
    """What came behind it is the next one's."""
    story = told()
    story.agent("retry_limit")
    story.compacts()
    story.agent("4afd4e47 port_old")
    seen = past(story)
    assert case(seen, story.boundaries[0]).words == ("retry_limit",)
    assert set(case(seen, story.boundaries[1]).words) == {"4afd4e47", "port_old"}


def test_only_so_many_entries_are_looked_at():
    """What comes later than the window is not needed any more."""
    story = told()
    for _ in range(needs.WINDOW):
        story.agent("…")
    story.agent("retry_limit")
    assert case(past(story), story.boundaries[0]).words == ()


def test_words_that_never_came_are_no_needs():
    """A prompt that was never delivered used nothing, and one that was taken back is none of the person's words."""
    story = told()
    story.says("retry_limit", undelivered=True)
    assert case(past(story), story.boundaries[0]).words == ()
    story = Story()
    story.says("Take this one back again.", withdrawn=True)
    story.compacts()
    assert case(past(story), story.boundaries[0]).person == ()


def test_memd_summary_and_both_are_measured_alike():
    """Each by the same needs, with its size; both together have what one of them has."""
    story = told()
    story.says("It was about retry_limit.", Channel.HARNESS_SUMMARY)
    story.agent("Wrote src/app.py: retry_limit")
    found = compacted(past(story), story.boundaries[0], Given(How.COMPUTED, "src/app.py 4afd4e47"), Words())
    assert found.needed.needed == {"paths": 1, "names": 1, "person": 2, "tasks": 1}
    assert (found.memd.coverage.found, found.memd.tokens) == ({"paths": 1, "names": 0, "person": 0, "tasks": 0}, 2)
    assert found.summary.coverage.found == {"paths": 0, "names": 1, "person": 0, "tasks": 0}
    assert found.both.coverage.found == {"paths": 1, "names": 1, "person": 0, "tasks": 0}


def test_a_summary_may_stand_before_its_compaction():
    """A tool that compacts once its summary is whole writes it directly before; it is none of the compaction before that."""
    story = told()
    story.boundaries.clear()
    story.says("One.", Channel.HARNESS_SUMMARY)
    story.compacts()
    story.agent("retry_limit")
    story.says("Two.", Channel.HARNESS_SUMMARY)
    story.compacts()
    story.says("And two more.", Channel.HARNESS_SUMMARY)
    seen = past(story)
    assert [summary_of(seen, one) for one in story.boundaries] == ["One.", "Two.\nAnd two more."]


def test_what_is_not_there_is_not_measured():
    """A client whose summary cannot be read, a session that memd keeps nothing of."""
    story = told()
    found = compacted(past(story), story.boundaries[0], None, Words())
    assert (found.memd, found.summary, found.both) == (None, None, None)
    given = Given(How.COMPUTED, "text")
    assert compacted(past(story), story.boundaries[0], given, Words()).summary is None


def test_a_call_across_the_compaction_is_used_after_it():
    """A call counts where its result stands."""
    story = told()
    story.run("make check PART=1", state=State.FAILED)
    assert case(past(story), story.boundaries[0]).commands == ("make check PART=1",)


def test_what_a_call_says_comes_before_its_answer():
    """Both have one number: the agent wrote the name before the answer showed it."""
    story = told()
    number = story.says("retry_limit = 2", Channel.TOOL_RESULT)
    story.number -= 1
    assert story.run("grep -n retry_limit src") == number
    assert case(past(story), story.boundaries[0]).words == ("retry_limit",)
