"""Trust that a tool is asked for: the dialogue with its program, and what of it is remembered for the way back."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from memd.daemon.setup import consent, hook, ledger, settings
from memd.daemon.setup.facts import facts
from memd.daemon.setup.findings import findings
from memd.daemon.setup.installation import put_in
from memd.daemon.setup.removal import take_out
from memd.daemon.setup.systemd import Systemd
from memd.errors import Refused
from memd.tools import hookfile
from memd.tools.registry import TOOLS

TOOL = TOOLS["codex"]
MINE = b'# mine\nmodel = "x"\n'
PROGRAM = f"""#!{sys.executable}
import json, os, pathlib, sys, time
home = pathlib.Path(os.environ.get("CODEX_HOME") or os.environ["HOME"] + "/.codex")
mode = (home / "mode").read_text() if (home / "mode").exists() else ""
config = home / "config.toml"
names = {{"SessionStart": "session_start", "PreCompact": "pre_compact", "UserPromptSubmit": "user_prompt_submit",
          "PreToolUse": "pre_tool_use", "SessionEnd": "session_end"}}
def hooks():
    text = config.read_text() if config.exists() else ""
    for event, groups in json.loads((home / "hooks.json").read_text())["hooks"].items():
        for n, group in enumerate(groups):
            for k, one in enumerate(group["hooks"]):
                key = f"{{home}}/hooks.json:{{names[event]}}:{{n}}:{{k}}"
                yield {{"key": key, "command": one["command"], "source": "user", "sourcePath": f"{{home}}/hooks.json",
                        "enabled": True, "pluginId": None, "currentHash": "sha256:1",
                        "trustStatus": "trusted" if key in text else "untrusted"}}
if mode == "dead":
    sys.exit(1)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    print(json.dumps({{"method": "some/news", "params": {{}}}}), flush=True)
    result = {{}}
    if mode == "old" and message["method"] == "hooks/list":
        print(json.dumps({{"id": message["id"], "error": {{"code": -32601}}}}), flush=True)
        continue
    if mode == "slow":
        time.sleep(60)
    if message["method"] == "hooks/list":
        result = {{"data": [{{"hooks": list(hooks()), "warnings": [], "errors": []}}]}}
    if message["method"] == "config/batchWrite":
        value = message["params"]["edits"][0]["value"]
        rows = "".join(f'\\n[hooks.state.{{json.dumps(key)}}]\\ntrusted_hash = "{{one["trusted_hash"]}}"\\n'
                       for key, one in value.items())
        with config.open("a") as file:
            file.write("\\n[hooks.state]\\n" + rows)
        config.chmod(0o600)
    print(json.dumps({{"id": message["id"], "result": result}}), flush=True)
"""


@pytest.fixture
def codex_home(home, tmp_path, monkeypatch):
    """A home with Codex in it, whose program is a stand-in."""
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir(exist_ok=True)
    program.write_text(PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    (home / ".claude").rename(home / ".codex")
    place = home / ".codex"
    (place / "config.toml").write_bytes(MINE)
    (place / "config.toml").chmod(0o644)
    return place


@pytest.fixture
def installed(codex_home, places):
    put_in(places, [settings.plan_install(TOOL, codex_home, hook.command(places))])
    return codex_home


def _give(places, home):
    return consent.give(places, TOOL, TOOL.trust, home, os.environ)


def _take(places):
    record = ledger.read(places)
    plans = [
        plan
        for home in settings.homes(TOOL, os.environ, record)
        for plan in settings.plan_uninstall(TOOL, home, record).plans
    ]
    return take_out(places, plans, record, Systemd(os.environ), whole=True)[0]


def _state(folder):
    return {
        str(path.relative_to(folder)): (
            stat.S_IMODE(path.lstat().st_mode),
            path.read_bytes() if path.is_file() else None,
        )
        for path in sorted(folder.rglob("*"))
    }


def test_what_the_tool_wrote_at_our_word_is_taken_back(home, codex_home, places):
    """Bytes and mode, though the tool wrote it and not we; what was removed is named."""
    before = _state(home)
    put_in(places, [settings.plan_install(TOOL, codex_home, hook.command(places))])
    assert consent.look(places, TOOL.trust, codex_home, os.environ) == ("untrusted",)
    assert _give(places, codex_home) == ()
    assert consent.look(places, TOOL.trust, codex_home, os.environ) == ()
    removed = _take(places)
    assert _state(home) == before
    assert removed[:2] == [
        f"the hooks in {codex_home / 'hooks.json'}",
        f"the trust entries in {codex_home / 'config.toml'}",
    ]


def test_settings_that_were_not_there_go_again(home, codex_home, places):
    """The tool made the file for our entries alone."""
    (codex_home / "config.toml").unlink()
    before = _state(home)
    put_in(places, [settings.plan_install(TOOL, codex_home, hook.command(places))])
    _give(places, codex_home)
    _take(places)
    assert _state(home) == before


def test_the_persons_later_words_stay(installed, places):
    """Written since: only our entries go, whoever else wrote what around them."""
    _give(places, installed)
    config = installed / "config.toml"
    config.write_bytes(
        config.read_bytes() + b'\n[hooks.state."/x/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:2"\n# end\n'
    )
    _take(places)
    assert config.read_bytes() == (
        MINE + b'\n[hooks.state]\n\n[hooks.state."/x/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:2"\n# end\n'
    )


def test_trusted_twice_is_once(installed, places):
    """The second time neither the file nor the ledger changes."""
    _give(places, installed)
    before = (installed / "config.toml").read_bytes(), ledger.read(places)
    assert _give(places, installed) == ()
    assert ((installed / "config.toml").read_bytes(), ledger.read(places)) == before


def test_killed_in_between_only_ours_goes(installed, places, monkeypatch):
    """The ledger knows of the file before the tool writes it, by a hash that fits nothing: it counts as changed since."""
    noted, converse = [], consent._converse

    def spied(*arguments, **how):
        noted.append(ledger.path(places).read_bytes())
        return converse(*arguments, **how)

    monkeypatch.setattr(consent, "_converse", spied)
    _give(places, installed)
    ledger.path(places).write_bytes(noted[0])
    _take(places)
    assert (installed / "config.toml").read_bytes() == MINE


@pytest.mark.parametrize(
    ("mode", "says"),
    [("dead", "`codex` gave no answer"), ("old", "`codex` does not know the question"), ("slow", "gave no answer")],
)
def test_a_tool_that_does_not_answer(installed, places, monkeypatch, mode, says):
    """One line, nothing hangs, and nothing is remembered that was not done."""
    monkeypatch.setattr(consent, "PATIENCE", 0.5 if mode == "slow" else 20.0)
    (installed / "mode").write_text(mode)
    before = ledger.read(places)
    for act in (lambda: _give(places, installed), lambda: consent.look(places, TOOL.trust, installed, os.environ)):
        with pytest.raises(Refused, match=says):
            act()
    assert ledger.read(places) == before
    assert (installed / "config.toml").read_bytes() == MINE


def test_without_the_program(installed, places):
    """Hooks can be put in where the tool is not on the PATH; trust cannot."""
    with pytest.raises(Refused, match="`codex` is not on the PATH"):
        consent.give(places, TOOL, TOOL.trust, installed, {**os.environ, "PATH": "/nowhere"})


def _codes(places, **how):
    found = facts(places, os.environ, **how)
    found = replace(found, answers=True, service=replace(found.service, kind="systemd", enabled=True, current=True))
    return {finding.code: finding.fix for finding in findings(found) if finding.code.startswith(("hooks", "trust"))}


def test_the_doctor_asks_the_tool_itself(installed, places):
    """The files are a guess, cheap enough for the status; here the tool's own word counts."""
    mend = "memd install codex --trust-codex-hooks"
    assert _codes(places) == {"hooks-untrusted": mend}
    _give(places, installed)
    assert _codes(places) == {"hooks-modified": mend}  # the stand-in's hash is no real one
    assert _codes(places, ask_tools=True) == {}


def test_the_doctor_says_when_it_could_not_ask(installed, places):
    """What the files say stands, and that it is no more than that."""
    (installed / "mode").write_text("dead")
    assert set(_codes(places, ask_tools=True)) == {"hooks-untrusted", "trust-unchecked"}


def test_a_broken_file_is_told_before_the_tool_is_asked(installed, places):
    """What cannot be read needs no second opinion."""
    (installed / "hooks.json").write_bytes(b"{")
    assert set(_codes(places, ask_tools=True)) == {"hooks-unreadable"}


def test_another_hook_of_ours_is_another_hook(installed, places):
    """Trust is for what was put in: a changed one is told as changed, and not trusted in passing."""
    path = installed / "hooks.json"
    path.write_bytes(path.read_bytes().replace(b"codex SessionEnd", b"codex  SessionEnd"))
    assert "hooks-changed" in _codes(places, ask_tools=True)
    _give(places, installed)
    words = json.loads(path.read_bytes())["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
    assert hookfile.HOOK in words
    assert "session_end" not in (installed / "config.toml").read_text()


def test_the_homes_are_found_again(installed, places, monkeypatch):
    """Another CODEX_HOME today: what was put into yesterday's is taken out of there, settings and all."""
    _give(places, installed)
    monkeypatch.setenv("CODEX_HOME", str(Path(os.environ["HOME"]) / "elsewhere"))
    _take(places)
    assert (installed / "config.toml").read_bytes() == MINE
    assert not (installed / "hooks.json").exists()
