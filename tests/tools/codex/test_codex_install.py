"""memd's hooks in Codex's hooks.json, where a hook's place is its name, and in config.toml, where the client keeps its trust."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.errors import Refused
from memd.tools.codex import install

HOME = Path("/h")
HOOKS, CONFIG = install.files(HOME)
COMMAND = ("/da ta/bin/python3", "-I", "-S", "/da ta/memd_hook.py", "--socket", "/st/memd.sock", "--state", "/st")
OTHER = (*COMMAND[:-1], "/elsewhere")
THEIRS = {"hooks": [{"type": "command", "command": "echo theirs", "timeout": 7, "x-own": [1, 2.5]}]}
ODD = {
    "nothing": b"",
    "blank": b" \n",
    "empty object": b"{}",
    "spread": b"{\n\n}\n",
    "described": b'{\n\t"description": "mine"\n}',
    "theirs": json.dumps({"hooks": {"SessionStart": [THEIRS, THEIRS], "Stop": [THEIRS]}}, indent=2).encode(),
    "on one line": json.dumps({"hooks": {"PreCompact": [THEIRS], "SessionStart": []}}).encode(),
    "minified": json.dumps({"hooks": {"PreToolUse": [THEIRS]}}, separators=(",", ":")).encode(),
    "CRLF": b'{\r\n  "hooks": {\r\n    "SessionEnd": [\r\n      {"hooks": []}\r\n    ]\r\n  }\r\n}\r\n',
    "events that Codex does not know": b'{"hooks": {"Mine": 7, "SessionStart": [{}]}}',
}


def files(hooks=None, config=None):
    return {HOOKS: hooks, CONFIG: config}


def put_in(before, command=COMMAND, config=None):
    (plan,) = install.plan(HOME, files(before, config), command)
    return plan.after


def taken_out(before, original=None, config=None, config_before=None):
    """What is left of the two files."""
    known = {HOOKS: original} if original is not None else {}
    known |= {CONFIG: config_before} if config_before is not None else {}
    plans = {plan.path: plan.after for plan in install.unplan(HOME, files(before, config), known)}
    return plans[HOOKS], plans.get(CONFIG, config)


def places(content):
    """Each hook's command under the place that is its name."""
    events = json.loads(content or b"{}").get("hooks", {})
    return {
        (event, number, at): hook["command"]
        for event, groups in events.items()
        for number, group in enumerate(groups if isinstance(groups, list) else [])
        for at, hook in enumerate(group.get("hooks", []))
    }


@pytest.mark.parametrize("before", ODD.values(), ids=ODD)
class TestOddFiles:
    def test_nobody_is_moved_and_ours_come_last(self, before):
        """Every hook that was there keeps its place, or what the person trusted would not count any more."""
        after = put_in(before)
        old = places(before if before.strip() else b"")
        assert {place: command for place, command in places(after).items() if place in old} == old
        assert len(places(after)) - len(old) == len(install.ENTRIES)
        assert install.installed(HOME, files(after), COMMAND) == ("untrusted",)

    def test_out_again_it_is_as_it_was(self, before):
        """Byte for byte, whether the ledger has the old bytes or only knows that there was a file."""
        assert taken_out(put_in(before), original=before)[0] == (before if before.strip() else None)

    def test_twice_is_once(self, before):
        """The second time nothing differs."""
        after = put_in(before)
        assert put_in(after) == after

    def test_another_command_changes_ours_where_they_stand(self, before):
        """An entry of ours that has to change keeps its place, and so do those behind it."""
        after = put_in(before)
        events = json.loads(after)
        events["hooks"]["SessionStart"].append(THEIRS)
        followed = json.dumps(events, indent=2).encode()
        again = put_in(followed, OTHER)
        assert install.installed(HOME, files(again), OTHER) == ("untrusted",)
        assert list(places(again)) == list(places(followed))


class TestOthersBehindUs:
    def test_they_keep_their_place_when_we_go(self):
        """An empty group stays where ours stood; without others behind it nothing stays."""
        events = json.loads(put_in(b"{}"))
        events["hooks"]["SessionStart"].append(THEIRS)
        left, _ = taken_out(json.dumps(events).encode(), original=b"{}")
        assert json.loads(left) == {"hooks": {"SessionStart": [{"hooks": []}, THEIRS]}}

    def test_in_again_we_come_behind_them(self):
        """The empty group is nobody's, and using it again would be a guess."""
        before = json.dumps({"hooks": {"SessionStart": [{"hooks": []}, THEIRS]}}).encode()
        assert ("SessionStart", 2, 0) in places(put_in(before))

    def test_an_entry_of_ours_too_many_goes(self):
        """Put in twice by hand: the first stays, the other goes, and who stands behind it does not move."""
        events = json.loads(put_in(b"{}"))
        events["hooks"]["SessionStart"] += [events["hooks"]["SessionStart"][0], THEIRS]
        before = json.dumps(events).encode()
        assert install.installed(HOME, files(before), COMMAND) == ("changed", "untrusted")
        after = put_in(before)
        assert [place for place in places(after) if place[0] == "SessionStart"] == [
            ("SessionStart", 0, 0),
            ("SessionStart", 2, 0),
        ]

    @given(st.lists(st.sampled_from(["theirs", "install", "other", "uninstall"]), max_size=12))
    def test_whatever_happens_in_which_order(self, acts):
        """Installed, installed by another memd, added to by others, taken out: theirs never move, ours are there once."""
        content, theirs, ours = b"{}", [], False
        for act in acts:
            if act == "theirs":
                events = json.loads(content)
                groups = events.setdefault("hooks", {}).setdefault("SessionStart", [])
                theirs.append((len(groups), f"echo {len(theirs)}"))
                groups.append({"hooks": [{"type": "command", "command": theirs[-1][1]}]})
                content = json.dumps(events).encode()
            elif act == "uninstall":
                content, ours = taken_out(content, original=None)[0], False
            else:
                content, ours = put_in(content, COMMAND if act == "install" else OTHER), True
            found = places(content)
            assert [found.get(("SessionStart", at, 0)) for at, _ in theirs] == [command for _, command in theirs]
            assert sum("memd_hook.py" in command for command in found.values()) == (len(install.ENTRIES) if ours else 0)


class TestRefused:
    @pytest.mark.parametrize(
        ("before", "says"),
        [
            (b"{", "not JSON"),
            (b"[]", "not a JSON object"),
            (b'\xef\xbb\xbf{"hooks": {}}', "a byte order mark"),
            (b'{"$schema": "x"}', "line 1, column 2: Codex ignores this file: `$schema`"),
            (b'{"description": 1}', "`description` is not a text"),
            (b'{"hooks": null}', "`hooks` is not an object"),
            (b'{"hooks": {}, "hooks": {}}', "`hooks` stands there twice"),
            (b'{"hooks": {"Stop": [], "Stop": []}}', "`Stop` stands there twice"),
            (b'{"hooks": {"Stop": {}}}', "`hooks.Stop` is not a list"),
            (b'{"hooks": {"Stop": ["x"]}}', "a group that is not an object"),
            (b'{"hooks": {"Stop": [{"matcher": 1}]}}', "a matcher that is not a text"),
            (b'{"hooks": {"Stop": [{"hooks": null}]}}', "`hooks` of a group is not a list"),
            (b'{"hooks": {"Stop": [{"hooks": [{"type": "zap"}]}]}}', "a hook of the type 'zap'"),
            (b'{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}', "a hook without a type"),
            (b'{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}', "without `command`"),
            (b'{"hooks": {"Stop": [{"hooks": [{"type": "mcp_tool"}]}]}}', "without `server`"),
            (b'{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "timeout": 5.5}]}]}}', "`timeout` is not a whole"),
            (b'{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "timeout": -5}]}]}}', "`timeout` is not a whole"),
            (b'{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "async": "x"}]}]}}', "`async` is neither"),
            (b'{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "statusMessage": 1}]}]}}', "`statusMessage` is not"),
        ],
    )
    def test_a_file_that_codex_ignores_whole(self, before, says):
        """Hooks in there would never run: one line that says where and why, and nothing is changed."""
        with pytest.raises(Refused, match=re.escape(says)) as caught:
            put_in(before)
        assert str(caught.value).startswith(f"{HOOKS}: line 1")
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        "before",
        [
            b'{"description": null, "hooks": {}}',
            b'{"hooks": {"Mine": [1], "Stop": [{}, {"x": 1}, {"matcher": null, "hooks": []}]}}',
            b'{"hooks": {"Stop": [{"matcher": "(", "hooks": [{"type": "agent", "foo": 1}]}]}}',
        ],
    )
    def test_what_codex_passes_over_is_taken(self, before):
        """It reads the rest of the file, so ours run."""
        assert install.installed(HOME, files(put_in(before)), COMMAND) == ("untrusted",)

    def test_broken_after_the_installation_is_told(self):
        """Somebody's entry can silence ours later."""
        broken = put_in(b"{}").replace(b"{", b'{"mine": 1, ', 1)
        assert install.installed(HOME, files(broken), COMMAND) == ("malformed", "untrusted")

    def test_settings_that_are_not_toml(self):
        """Codex does not start with them either; which file and where is said."""
        with pytest.raises(Refused, match=r"^/h/config\.toml: not TOML \(.*line 1"):
            put_in(b"{}", config=b"model = \n")
        assert install.installed(HOME, files(put_in(b"{}"), b"model = \n"), COMMAND) == ("unreadable",)

    def test_a_byte_order_mark_is_none_of_the_settings(self):
        """Codex 0.171.0 reads its `config.toml` with one (measured), so nothing is said to be wrong with it."""
        marked = b"\xef\xbb\xbf[features]\nhooks = false\n"
        assert put_in(b"{}", config=marked) == put_in(b"{}")
        assert install.installed(HOME, files(put_in(b"{}"), marked), COMMAND) == ("disabled", "untrusted")


def entries(hooks, *, hash_of=lambda one: one.sha256, file=HOOKS, more=""):
    """What Codex appends to its settings when these hooks are trusted."""
    rows = (f'\n[hooks.state."{one.key(str(file))}"]\ntrusted_hash = "{hash_of(one)}"\n{more}' for one in hooks)
    return "\n[hooks.state]\n" + "".join(rows)


MINE = '# mine\nmodel = "x"   # why\n\n[tui]\na = [1,\n  2]\n'
FOREIGN = '\n[hooks.state."/h/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:aa"\n'


class TestTrust:
    @pytest.fixture
    def hooks(self):
        return put_in(b"{}")

    def faults(self, hooks, config):
        return install.installed(HOME, files(hooks, config.encode()), COMMAND)

    def test_the_hash_is_the_clients(self):
        """What `hooks/list` of codex-cli 0.171.0 said of the same file: a change of either would cost people their trust."""
        data, state = "/home/dev/.local/share/memd", "/home/dev/.local/state/memd"
        start = (f"{data}/bin/python3", "-I", "-S", f"{data}/memd_hook.py")
        command = (*start, "--socket", f"{state}/memd.sock", "--state", state)
        assert {one.place: one.sha256 for one in install.own(put_in(b"{}", command))} == {
            "session_start:0:0": "sha256:0334baee3233984d768f8f611a983daa4810fbfeaae6cdafca0deae212944ea8",
            "pre_compact:0:0": "sha256:231a31afbbe40f6a4b5b643feb210822f3616d52147957568b72490d9afe7003",
            "user_prompt_submit:0:0": "sha256:a76ff69c3ab70ea1479ebdd08d96ef05936665edc7facd149578061f5989aa47",
            "pre_tool_use:0:0": "sha256:cee93bfab53de18b1616192cba2c79827ec6305b3688e87537c546ac7d4afd3d",
            "session_end:0:0": "sha256:b094d7e0992aa61de749f4194b8fd46d358dea7ad845ef149ce4a95165309a05",
        }

    def test_trusted_is_well(self, hooks):
        """Every entry there with the hash of what stands in the file."""
        assert self.faults(hooks, MINE + entries(install.own(hooks))) == ()

    def test_one_missing_is_untrusted(self, hooks):
        """All are needed: without SessionStart nothing comes back, without PreCompact it is older than need be."""
        assert self.faults(hooks, MINE + entries(install.own(hooks)[1:])) == ("untrusted",)

    def test_another_hash_is_modified(self, hooks):
        """Codex skips what is not what was trusted."""
        assert self.faults(hooks, entries(install.own(hooks), hash_of=lambda _: "sha256:00")) == ("modified",)

    def test_moved_is_untrusted(self, hooks):
        """Somebody put a group before ours: our name is another one now."""
        events = json.loads(hooks)
        events["hooks"]["SessionStart"].insert(0, THEIRS)
        moved = json.dumps(events).encode()
        assert self.faults(moved, entries(install.own(hooks))) == ("untrusted",)

    def test_switched_off(self, hooks):
        """All hooks by a feature, or ours one by one."""
        trust = entries(install.own(hooks))
        assert self.faults(hooks, trust + "\n[features]\nhooks = false\n") == ("disabled",)
        assert self.faults(hooks, entries(install.own(hooks), more="enabled = false\n")) == ("skipped",)

    def test_a_home_behind_a_link(self, hooks):
        """The client may write the home's real path; the hash says that it is ours."""
        assert self.faults(hooks, entries(install.own(hooks), file=Path("/real/hooks.json"))) == ()

    def test_the_plugin_is_another_way(self):
        """Who has memd's plugin needs no entries of ours; its own are in the client's list, and have to be trusted too."""
        there = '[plugins."memd@memd"]\nenabled = true\n'
        places = [one.place for one in install.own(put_in(b"{}"))]
        rows = (f'[hooks.state."memd@memd:hooks/hooks.json:{place}"]\ntrusted_hash = "sha256:1"\n' for place in places)
        assert self.faults(b"{}", there) == ("untrusted",)
        assert self.faults(b"{}", there + "".join(rows)) == ()
        assert self.faults(b"{}", there.replace("true", "false")) == ("missing",)

    def test_both_ways_are_one_too_many(self, hooks):
        """Each text would come twice: told where both are there, refused where one is."""
        there = '[plugins."memd@memd"]\nenabled = true\n'
        assert self.faults(hooks, there + entries(install.own(hooks))) == ("doubled",)
        with pytest.raises(Refused, match="codex plugin remove memd@memd"):
            put_in(b"{}", config=there.encode())


class TestTrustTakenOut:
    @pytest.fixture
    def hooks(self):
        return put_in(b"{}")

    @pytest.mark.parametrize("mine", [MINE, MINE + "\n[hooks.state]\n" + FOREIGN, "", 'a = 1\n[hooks]\nx = "y"\n'])
    def test_only_ours_goes(self, hooks, mine):
        """The person's comments, other people's trust, an empty table that was there before: byte for byte."""
        added = entries(install.own(hooks))
        if "[hooks.state]" in mine:
            added = added.removeprefix("\n[hooks.state]\n")
        _, left = taken_out(hooks, b"{}", (mine + added).encode(), mine.encode())
        assert (left or b"") == mine.encode()

    def test_without_a_ledger_too(self, hooks):
        """Our hooks' places are known from the file that they stand in."""
        _, left = taken_out(hooks, None, (MINE + entries(install.own(hooks)) + FOREIGN).encode())
        assert tomllib.loads(left.decode())["hooks"] == {
            "state": {"/h/hooks.json:stop:0:0": {"trusted_hash": "sha256:aa"}}
        }
        assert left.decode().startswith(MINE)

    def test_what_came_behind_stays(self, hooks):
        """Text of others after ours, and a switch that the person set in our entry goes with it."""
        config = MINE + entries(install.own(hooks), more="enabled = false\n") + "# end\n[later]\nb = 1\n"
        _, left = taken_out(hooks, b"{}", config.encode(), MINE.encode())
        assert left.decode() == MINE + "# end\n[later]\nb = 1\n"

    def test_a_file_that_began_as_nothing_goes(self, hooks):
        """Codex made it for our entries."""
        _, left = taken_out(hooks, b"{}", entries(install.own(hooks)).lstrip().encode(), b"")
        assert left is None

    def test_another_form_is_left_alone(self, hooks):
        """Written by hand on one line: nothing that could lose a byte of the person's is tried."""
        rows = ", ".join(f'"{one.key(str(HOOKS))}" = {{ trusted_hash = "{one.sha256}" }}' for one in install.own(hooks))
        config = f"hooks.state = {{ {rows} }}\n".encode()
        assert taken_out(hooks, b"{}", config)[1] == config

    def test_an_entry_for_what_was_there_before_us_stays(self):
        """Trust at a place that is not ours is not looked at."""
        hooks = put_in(json.dumps({"hooks": {"SessionStart": [THEIRS]}}).encode())
        theirs = '\n[hooks.state]\n\n[hooks.state."/h/hooks.json:session_start:0:0"]\ntrusted_hash = "sha256:aa"\n'
        assert taken_out(hooks, None, theirs.encode())[1] == theirs.encode()

    def test_the_plugin_goes_too(self):
        """Its entry, its marketplace's and its trust; other plugins and marketplaces stay as they are."""
        others = '[marketplaces.theirs]\nsource = "x"\n\n[plugins."a@theirs"]\nenabled = true\n'
        plugin = (
            '\n[marketplaces.memd]\nsource_type = "local"\nsource = "/x"\n\n[plugins."memd@memd"]\nenabled = true\n'
            '\n[hooks.state]\n\n[hooks.state."memd@memd:hooks/hooks.json:session_start:0:0"]\ntrusted_hash = "sha256:1"\n'
        )
        (_, removal) = install.unplan(HOME, files(None, (MINE + others + plugin).encode()), {})
        assert (removal.after.decode(), removal.what) == (MINE + others, "plugin and trust entries")

    def test_broken_settings_without_ours_are_left_alone(self):
        """Nothing of ours is in there, so there is nothing to refuse."""
        assert taken_out(put_in(b"{}"), b"{}", b"x = ")[1] == b"x = "

    def test_broken_settings_are_refused(self, hooks):
        """They are the person's to mend; the line says where."""
        with pytest.raises(Refused, match=r"^/h/config\.toml: not TOML"):
            taken_out(hooks, b"{}", b'x = "hooks.json:')


def test_every_command_can_only_help():
    """It ends well whatever happens, gives up soon, and only SessionStart and the prompt may carry a whole checkpoint."""
    groups = [(entry, install.group(entry, COMMAND)["hooks"][0]) for entry in install.ENTRIES]
    assert all(hook["command"].endswith(" 2>/dev/null || :") for _, hook in groups)
    assert max(hook["timeout"] for _, hook in groups) <= 5
    assert [entry.event for entry, hook in groups if hook.get("additionalContextLimit") == 0] == [
        "SessionStart",
        "UserPromptSubmit",
    ]
    assert {entry.event: hook["timeout"] for entry, hook in groups}["SessionEnd"] <= 3
