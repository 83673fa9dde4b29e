"""memd's hooks in a settings file that belongs to somebody else."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.errors import Refused
from memd.tools.claude_code import ClaudeCode
from memd.tools.claude_code.install import ENTRIES, install, installed, notes, uninstall

COMMAND = ("/da ta/bin/python3", "-I", "-S", "/da ta/memd_hook.py", "--socket", "/st/memd.sock", "--state", "/st")
OTHER = (*COMMAND[:-1], "/elsewhere")

FOREIGN = '{"matcher":"startup","hooks":[{"type":"command","command":"echo hi","timeout":7,"x-own":[1,2.50]}]}'
ODD = {
    "two spaces": b'{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Bash"]\n  }\n}\n',
    "three spaces": b'{\n   "model": "opus"\n}\n',
    "tabs": b'{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
    "no final newline": b'{\n  "model": "opus"\n}',
    "CRLF": b'{\r\n  "model": "opus"\r\n}\r\n',
    "CR": b'{\r  "model": "opus"\r}\r',
    "minified": b'{"model":"opus","env":{"A":"1"}}',
    "one line with blanks": b'{ "model" : "opus", "env": {} }',
    "unknown keys and odd order": b'{\n  "zz": {"hooks": {"SessionStart": 3}},\n  "$schema": "x",\n  "a": null\n}\n',
    "hooks before and after": (
        '{\n  "hooks": {\n    "SessionStart": [\n      ' + FOREIGN + ",\n      " + FOREIGN + "\n    ],\n"
        '    "Stop": [' + FOREIGN + ']\n  },\n  "z": 1e3\n}\n'
    ).encode(),
    "hooks on one line": ('{"hooks": {"SessionStart": [' + FOREIGN + '], "PreCompact": []}}').encode(),
    "empty object": b"{}",
    "empty object, spread": b"{\n\n}\n",
    "empty file": b"",
    "blank file": b" \n\t\n",
    "byte order mark": b'\xef\xbb\xbf{\n  "model": "opus"\n}\n',
    "unicode": '{\n  "language": "日本語 — ünï 🦀",\n  "e": "\\ud83e\\udd80 \\ud800"\n}\n'.encode(),
    "hooks: {}": b'{\n  "hooks": {},\n  "a": 1\n}\n',
    "hooks: { }": b'{\n  "hooks": {\n  }\n}\n',
    "SessionStart: []": b'{\n  "hooks": {\n    "SessionStart": [ ]\n  }\n}\n',
    "same key twice": b'{\n  "a": 1,\n  "a": 2,\n  "hooks": {"Stop": []},\n  "hooks": {"PreCompact": []}\n}\n',
    "huge number": b'{"a": ' + b"9" * 6000 + b"}",
    "cramped": b'{"hooks":{"SessionStart":[]\n},\n"b":[\n1]}',
}


def _without_ours(settings):
    """Ours filtered out of the parsed settings, and what is empty then."""
    hooks = settings.get("hooks", {})
    for event, groups in list(hooks.items()):
        hooks[event] = [group for group in groups if "memd_hook.py" not in json.dumps(group)]
        if not hooks[event]:
            del hooks[event]
    if not hooks:
        settings.pop("hooks", None)
    return settings


def _load(data):
    return json.loads(data.decode("utf-8-sig") or "{}", parse_int=float) if data.strip() else {}


def _commands(data):
    hooks = _load(data).get("hooks", {})
    return [hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]]


@pytest.mark.parametrize("before", ODD.values(), ids=ODD)
class TestOddFiles:
    def test_the_client_reads_the_result(self, before):
        """The result is JSON that holds every wanted entry once and, without them, what was there before."""
        after = install(before, COMMAND)
        assert installed(after, COMMAND) == ()
        assert len(_commands(after)) - len(_commands(before)) == len(ENTRIES)
        assert _without_ours(_load(after)) == _without_ours(_load(before))

    def test_other_peoples_bytes_stay_in_their_order(self, before):
        """What was there is in the result byte for byte: nothing of it is retyped (blanks in empty brackets may go)."""
        pieces = re.split(rb"(?<=[\[{])[ \t\r\n]*(?=[\]}])", before.strip())
        at = 0
        after = install(before, COMMAND)
        for piece in pieces:
            for part in re.split(rb'(?<=[}\]"0-9a-z])(?=[ \t\r\n]*[}\]])', piece):
                at = after.index(part, at) + len(part)

    def test_twice_is_once(self, before):
        """A second installation changes nothing."""
        after = install(before, COMMAND)
        assert after == install(after, COMMAND)

    def test_uninstall_gives_the_same_bytes_back(self, before):
        """Even without a copy of the file: what was inserted is cut out again, exactly."""
        after = uninstall(install(before, COMMAND), before)
        assert after == (before if before.strip() else None)

    def test_after_a_foreign_rewrite_only_ours_goes(self, before):
        """A program that reformats the file and adds to it loses nothing of its own."""
        settings = json.loads(install(before, COMMAND).decode("utf-8-sig"), parse_int=float)
        settings["theirs"] = {"hooks": []}
        rewritten = json.dumps(settings, indent=2).replace("Infinity", "1e999")
        after = uninstall(rewritten.encode(), before)
        assert _load(before).get("hooks", None) == _load(after).get("hooks", None)
        assert _load(after) == _load(before) | {"theirs": {"hooks": []}}

    def test_other_paths_replace_the_old_entries(self, before):
        """A moved state folder rewrites our entries; none of the old ones is left, and the rest does not move."""
        after = install(install(before, OTHER), COMMAND)
        assert b"/elsewhere" not in after
        assert installed(after, COMMAND) == ()
        assert uninstall(after, before) == (before if before.strip() else None)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("two spaces", '\n  "hooks": {\n    "SessionStart": [\n      {\n        "hooks": [\n'),
        ("three spaces", '\n   "hooks": {\n      "SessionStart": [\n         {\n'),
        ("tabs", '\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t{\n'),
        ("CRLF", '\r\n  "hooks": {\r\n    "SessionStart": [\r\n      {\r\n'),
        ("CR", '\r  "hooks": {\r    "SessionStart": [\r      {\r'),
        ("minified", ',"hooks":{"SessionStart":[{"hooks":[{"type":"command",'),
        ("one line with blanks", ', "hooks": {"SessionStart": [{"hooks": [{"type": "command", '),
        ("hooks on one line", FOREIGN + ', {"hooks": [{"type": "command", '),
    ],
)
def test_the_files_own_manner_is_taken_over(name, line):
    """Line ends, indentation, blanks: the insertion looks like the rest of the file."""
    after = install(ODD[name], COMMAND)
    assert line.encode() in after
    assert (b"\n" in after.replace(b"\r\n", b"")) == (b"\n" in ODD[name].replace(b"\r\n", b""))


def test_a_path_can_be_read():
    """What is not ASCII is written as it is."""
    assert '"/home/josé/' in install(b"{}", ("/home/josé/python3", *COMMAND[1:])).decode().replace("'", '"')


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_hook = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=9)})
_group = st.fixed_dictionaries({"hooks": st.lists(_hook, max_size=2)}, optional={"matcher": st.text(max_size=4)})
_event = st.sampled_from(["SessionStart", "PreCompact", "SessionEnd", "Stop"])
_settings = st.fixed_dictionaries(
    {}, optional={"hooks": st.dictionaries(_event, st.lists(_group, max_size=3)), "a": _values, "ü": _values}
)
_layout = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t"}, {"indent": 0}, {"separators": (",", ":")}, {"separators": (" , ", " :\t")}]
)


@given(_settings, _layout, st.booleans())
def test_any_settings_survive(settings, layout, ascii_only):
    """Whatever the file holds and however it is laid out: all hooks are in, twice is once, and out means as before."""
    try:
        before = json.dumps(settings, ensure_ascii=ascii_only, **layout).encode()
    except UnicodeEncodeError:
        return
    after = install(before, COMMAND)
    assert installed(after, COMMAND) == ()
    assert install(after, COMMAND) == after
    assert uninstall(after, before) == before


class TestEntries:
    def test_timeouts_are_seconds(self):
        """The client's unit is seconds: 5 for what gives context, 2 at a session's end. In milliseconds: hours."""
        hooks = _load(install(None, COMMAND))["hooks"]
        timeouts = {e: {h["timeout"] for g in groups for h in g["hooks"]} for e, groups in hooks.items()}
        assert timeouts == {
            "SessionStart": {5},
            "PreCompact": {5},
            "UserPromptSubmit": {5},
            "PreToolUse": {5},
            "SessionEnd": {2},
        }

    def test_the_first_part_covers_every_source(self):
        """A matcher on part 1 would miss a source; without one on the others four hooks would run at each start."""
        groups = _load(install(None, COMMAND))["hooks"]["SessionStart"]
        assert [group.get("matcher") for group in groups] == [None, *["compact|resume|fork"] * 3]

    def test_only_known_keys(self):
        """A strict client rejects a file for a key that it does not know."""
        groups = [g for groups in _load(install(None, COMMAND))["hooks"].values() for g in groups]
        assert {key for group in groups for key in group} == {"matcher", "hooks"}
        assert {key for g in groups for hook in g["hooks"] for key in hook} == {"type", "command", "timeout"}

    def test_every_command_differs(self):
        """The client runs equal commands of an event once."""
        commands = _commands(install(None, COMMAND))
        assert len(set(commands)) == len(commands) == len(ENTRIES)

    def test_the_command_is_pinned(self):
        """Its text must not change over upgrades without need."""
        assert _commands(install(None, COMMAND))[1] == (
            "'/da ta/bin/python3' -I -S '/da ta/memd_hook.py' claude-code SessionStart 2"
            " --socket /st/memd.sock --state /st 2>/dev/null || :"
        )

    @pytest.mark.parametrize("gone", ["the script", "the interpreter"])
    def test_exit_0_whatever_is_gone(self, tmp_path, gone):
        """Python exits 2 for a script that is gone, and PreCompact's exit 2 blocks a compaction."""
        script = tmp_path / "it's" / "memd_hook.py"
        python = "/nowhere/python3" if gone == "the interpreter" else "python3"
        for line in _commands(install(None, (python, "-I", "-S", str(script), "--socket", "s", "--state", "t"))):
            done = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def test_the_words_reach_the_script(self, tmp_path):
        """Quoting is undone by sh: blanks and quotes in paths are only paths."""
        script = tmp_path / "a b'c\"$x" / "memd_hook.py"
        script.parent.mkdir()
        script.write_text("import sys; print(sys.argv[1:])")
        lines = _commands(install(None, ("python3", "-I", "-S", str(script), "--socket", "a b", "--state", "$HOME")))
        said = subprocess.run(["sh", "-c", lines[0]], capture_output=True, text=True, check=True).stdout
        assert said.strip() == str(["claude-code", "SessionStart", "1", "--socket", "a b", "--state", "$HOME"])
        assert shlex.split(lines[0])[3] == str(script)


class TestRefusals:
    @pytest.mark.parametrize(
        ("before", "says"),
        [
            (b'{\n  // mine\n  "a": 1\n}', "line 2, column 3: not JSON"),
            (b'{\n  "a": 1,\n}', "line 3, column 1: not JSON"),
            (b'{"a": 1} x', "line 1, column 10: not JSON"),
            (b'{"a": NaN}', "line 1, column 7: not JSON"),
            (b'{"a": -Infinity}', "line 1, column 7: not JSON"),
            (b'{"a": 01}', "column 8: not JSON"),
            (b'{"a": "\n"}', "not JSON"),
            (b"{'a': 1}", "line 1, column 2: not JSON"),
            (b'{"a": 1', "line 1, column 8: not JSON"),
            (b"[" * 100_000, "nested too deeply"),
            (b'{\n"a": "\xff"}', "line 2: not UTF-8"),
            (b"[]", "line 1, column 1: not a JSON object"),
            (b'{\n  "hooks": []\n}', "line 2, column 12: `hooks` is not an object"),
            (b'{"hooks": null}', "`hooks` is not an object"),
            (b'{"hooks": {"PreCompact": {}}}', "`hooks.PreCompact` is not a list"),
        ],
    )
    def test_what_cannot_be_spliced_is_left_alone(self, before, says):
        """One line that says where, and that nothing was changed."""
        with pytest.raises(Refused, match=re.escape(says).replace("nested", "[Nn]ested")) as caught:
            install(before, COMMAND)
        assert "nothing was changed" in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_the_file_is_named(self):
        """The tool's own plan says which file it is."""
        with pytest.raises(Refused, match=r"^/h/settings\.json: line 1"):
            ClaudeCode().install(Path("/h"), {Path("/h/settings.json"): b"["}, COMMAND)

    def test_a_broken_file_without_ours_is_no_trouble_for_uninstall(self):
        """Nothing of ours is there, so there is nothing to refuse."""
        assert uninstall(b"{ not json", None) == b"{ not json"


class TestOwnEntries:
    def test_known_wherever_they_stand(self):
        """Moved into somebody's group, another event, or exec form: they are found, and their company stays."""
        theirs = {"type": "command", "command": "echo"}
        ours = {"type": "command", "command": "/x/python3 -I -S /old/memd_hook.py claude-code Stop"}
        args = {"type": "command", "command": "/x/python3", "args": ["-S", "/old/memd_hook.py", "claude-code", "Stop"]}
        before = json.dumps({"hooks": {"Stop": [{"hooks": [theirs, ours]}, {"hooks": [args]}], "PreCompact": []}})
        after = install(before.encode(), COMMAND)
        assert installed(after, COMMAND) == ()
        assert _load(after)["hooks"]["Stop"] == [{"hooks": [theirs]}]

    def test_a_narrow_matcher_of_an_older_version_is_widened(self):
        """`startup|resume` misses the compaction, which is what all this is for."""
        old = install(None, COMMAND).replace(b'"matcher": "compact|resume|fork"', b'"matcher": "startup|resume"')
        assert installed(old, COMMAND) == ("changed",)
        assert install(old, COMMAND) == install(None, COMMAND)

    @pytest.mark.parametrize(
        "foreign",
        ["vi /x/memd_hook.py", "memd_hook.py codex Stop", "my_memd_hook.pyx claude-code Stop", "echo claude-code"],
    )
    def test_others_are_not_ours(self, foreign):
        """A command that only looks a little like ours is somebody else's."""
        before = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": foreign}]}]}}).encode()
        assert uninstall(before, None) == before
        assert installed(before, COMMAND) == ("missing",)

    def test_an_old_one_beside_the_wanted_ones_goes(self):
        """An event that an older version used is not used for ever."""
        settings = _load(install(None, COMMAND))
        old = {"hooks": [{"type": "command", "command": "/x/memd_hook.py claude-code PostCompact || :"}]}
        settings["hooks"]["PostCompact"] = [old]
        before = json.dumps(settings).encode()
        assert installed(before, COMMAND) == ("changed",)
        assert "PostCompact" not in _load(install(before, COMMAND))["hooks"]

    def test_others_may_stand_behind_ours(self):
        """Hooks that came later keep their place, and ours theirs: nothing is rewritten that is as it should be."""
        later = json.loads(FOREIGN)
        settings = _load(install(None, COMMAND))
        settings["hooks"]["SessionStart"].append(later)
        before = json.dumps(settings).encode()
        assert install(before, COMMAND) == before
        assert _load(uninstall(before, None)) == {"hooks": {"SessionStart": [later]}}

    def test_behind_a_second_hooks_key_they_are_not_seen(self):
        """Of equal keys every JSON reader takes the last: ours in the first would never run."""
        before = install(None, COMMAND).rstrip().removesuffix(b"}") + b', "hooks": {}}'
        assert installed(before, COMMAND) == ("changed",)
        assert len(_commands(install(before, COMMAND))) == len(ENTRIES)

    def test_one_twice_is_a_change(self):
        """A doubled part would give the checkpoint twice."""
        after = install(None, COMMAND)
        settings = _load(after)
        settings["hooks"]["SessionStart"] *= 2
        doubled = json.dumps(settings, indent=2).encode()
        assert installed(doubled, COMMAND) == ("changed",)
        assert len(_commands(install(doubled, COMMAND))) == len(ENTRIES)


class TestUninstallWithoutTheOriginal:
    def test_containers_that_held_only_ours_go(self):
        """Nothing tells any more who made them; they were ours alone."""
        assert uninstall(install(b'{"a": 1}', COMMAND), None) == b'{"a": 1}'
        assert uninstall(install(None, COMMAND), None) == b"{}\n"

    def test_a_file_that_was_not_there_goes(self):
        """`b""`: it began as nothing. What others have put in since keeps it."""
        after = install(None, COMMAND)
        assert uninstall(after, b"") is None
        assert _load(uninstall(after.replace(b"{", b'{"a": 1,', 1), b"")) == {"a": 1}


class TestFaults:
    def test_missing(self):
        """No entry of ours, whatever else."""
        assert installed(None, COMMAND) == installed(b"", COMMAND) == installed(b"{}", COMMAND) == ("missing",)

    def test_disabled(self):
        """`disableAllHooks` silences ours too; the plan says so before it is carried out."""
        before = b'{"disableAllHooks": true}'
        assert installed(install(before, COMMAND), COMMAND) == ("disabled",)
        assert "disableAllHooks" in " ".join(notes(before))

    def test_malformed_company(self):
        """The entry is named, so that a person can mend it; it stays as it is."""
        bad = b'{"hooks": {"Stop": [{"hooks": []}, {"matcher": 3, "hooks": []}], "PreToolUse": [{"command": "x"}]}}'
        found = " ".join(notes(bad))
        assert "hooks.Stop[1]" in found
        assert "hooks.PreToolUse[0]" in found
        assert "hooks.Stop[0]" not in found
        assert installed(install(bad, COMMAND), COMMAND) == ("malformed",)

    def test_unreadable(self):
        """A file that is no JSON is a fault of its own, no exception: the status is shown all the same."""
        assert installed(b"{", COMMAND) == installed(b"\xff", COMMAND) == ("unreadable",)

    def test_no_notes_on_a_plain_file(self):
        """Nothing odd, nothing said."""
        assert notes(b'{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "u"}]}]}}') == notes(None) == ()
