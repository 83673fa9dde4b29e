"""How `memd install` shows a change at a terminal."""

from memd.cli.install_shown import HEAD, shown

PATCH = ["--- a\n", "+++ a\n", "@@ -1,2 +1,30 @@\n", " {\n", "-old\n", *(f"+new {n}\n" for n in range(30)), " }\n"]


def test_a_long_stretch_of_new_lines_is_cut_and_counted(monkeypatch):
    """What was there is shown whole, and so is the beginning of what is new; the rest is a number and a command."""
    monkeypatch.setenv("NO_COLOR", "1")
    said = list(shown(PATCH))
    assert said[: 5 + HEAD] == PATCH[: 5 + HEAD]
    assert said[5 + HEAD :] == [f"… {30 - HEAD} more new lines; `memd install --dry-run` shows all\n", " }\n"]


def test_a_short_change_is_shown_whole(monkeypatch):
    """Nothing is cut to be replaced by a line that says so."""
    monkeypatch.setenv("NO_COLOR", "1")
    short = [*PATCH[:5], *PATCH[5 : 5 + HEAD + 3], " }\n"]
    assert list(shown(short)) == short


def test_colours_say_what_comes_and_goes(monkeypatch):
    """Green comes, red goes; nothing is coloured where NO_COLOR is set."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    _, _, _, same, old, new, *_ = shown(PATCH)
    assert (same, old, new) == (" {\n\x1b[0m", "\x1b[31m-old\n\x1b[0m", "\x1b[32m+new 0\n\x1b[0m")
