"""Which sentences forbid a change that structure can tell."""

import pytest
from factories import Story
from pasts import past

from memd.model import Channel
from memd.report.stated import rules


def stated(text, channel=Channel.HUMAN_TYPED, **fields):
    """The paths that a message forbids to change."""
    story = Story("/srv/w")
    story.says(text, channel, **fields)
    return [path for rule in rules(past(story)) for path in rule.paths]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Do not touch `migrations/`: what is in there has run.", ["migrations"]),
        ("Please don't edit src/api.py or docs/api.md.", ["src/api.py", "docs/api.md"]),
        ("Never change anything in /srv/w/vendor/*.", ["vendor"]),
        ("Leave conf/gateway.toml as it is.", ["conf/gateway.toml"]),
        ("Fix it without touching setup.cfg, please", ["setup.cfg"]),
        ("No changes to package.json!", ["package.json"]),
        ("You must not rewrite ./src/api.py", ["src/api.py"]),
        ("不要修改 conf/gateway.toml。然后改 src/app.py。", ["conf/gateway.toml"]),
    ],
)
def test_a_sentence_that_forbids_names_its_paths(text, paths):
    """Relative to the session's directory, however they are written."""
    assert stated(text) == paths


@pytest.mark.parametrize(
    "text",
    [
        "Do not forget to update src/api.py.",
        "Change src/api.py. Do not touch anything else.",
        "Do not touch anything except src/api.py.",
        "Don't edit unless src/api.py is broken.",
        "Keep src/api.py small.",
        "I never saw src/api.py.",
        "Never push.",
        "Do not touch the refunds.",
    ],
)
def test_other_sentences_forbid_nothing(text):
    """No verb of changing after the no, no path, or only as what is allowed."""
    assert stated(text) == []


def test_only_who_may_forbid_is_heard():
    """A person, or the project's constraints as memd gave them; not the agent, no tool, nothing that was taken back."""
    text = "Do not touch migrations/."
    assert stated(text, Channel.AGENT_TEXT) == stated(text, Channel.TOOL_RESULT) == stated(text, withdrawn=True) == []
    assert stated(f"memd: project w has rules:\n- {text}", Channel.MEMD_INJECTION) == ["migrations"]
    assert stated(f"memd checkpoint 1, part 1 of 1\n{text}", Channel.MEMD_INJECTION) == []


def test_a_rule_is_about_the_file_and_what_lies_below():
    """A name alone is a file of that name anywhere; a path is only itself."""
    story = Story("/srv/w")
    story.says("Do not touch conf/ and setup.cfg.")
    (rule,) = rules(past(story))
    assert [
        p for p in ("conf/a.toml", "conf", "src/conf/a.toml", "confer/a.toml", "sub/setup.cfg") if rule.forbids(p)
    ] == [
        "conf/a.toml",
        "conf",
        "sub/setup.cfg",
    ]
