"""memd's hooks in a real Codex home: other people's stay whose they are, and nothing is skipped without being told."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from .codex import Codex, checkpoints, run
from .memd_process import Memd
from .scripted_model import ScriptedModel, Turn
from .story import MISSION
from .waiting import eventually

pytestmark = pytest.mark.client

TRUST = "memd install codex --trust-codex-hooks"


def theirs(name: str, home: Path) -> dict[str, Any]:
    """A hook of the person's own, which leaves a mark when it runs."""
    return {"hooks": [{"type": "command", "command": f"echo ran >> {home}/{name}.ran", "timeout": 5}]}


@pytest.fixture
def people(codex: Codex) -> Codex:
    """A home whose person has hooks of their own and trusts them."""
    hooks = {
        "SessionStart": [theirs("first", codex.home), theirs("second", codex.home)],
        "Stop": [theirs("stop", codex.home)],
    }
    codex.hooks.write_text(json.dumps({"description": "mine", "hooks": hooks}, indent=1) + "\n", encoding="utf-8")
    codex.hooks.chmod(0o640)
    trust_all(codex)
    return codex


@pytest.fixture
def memd(people: Codex) -> Memd:
    """Memd beside them, not installed."""
    return Memd(people.home, people.project, people.env["PATH"], "codex")


def statuses(codex: Codex) -> dict[str, str]:
    """What Codex itself says of each hook, by a word of its command."""
    answer = codex.ask("hooks/list", {"cwds": [str(codex.project)]})
    return {hook["command"]: hook["trustStatus"] for hook in answer["data"][0]["hooks"]}


def trust_all(codex: Codex) -> None:
    """What the person's yes on the screen does."""
    answer = codex.ask("hooks/list", {"cwds": [str(codex.project)]})
    value = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in answer["data"][0]["hooks"]}
    edit = {"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": value}
    codex.ask("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})


def files(codex: Codex) -> dict[str, tuple[int, bytes]]:
    """The person's two files, bytes and modes."""
    return {path.name: (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) for path in (codex.hooks, codex.config)}


def test_in_use_and_out_again_everything_is_as_it_was(people: Codex, responses: ScriptedModel, memd: Memd) -> None:
    """Their hooks run and stay trusted all the time; at the end both files have the old bytes and modes."""
    before = files(people)
    memd.run("install", "codex", "--yes", "--trust-codex-hooks")
    assert set(statuses(people).values()) == {"trusted"}
    assert len(statuses(people)) == 3 + 5
    with memd.daemon():
        session = people.headless(MISSION).session
        responses.push(run("echo one", tokens=90_000), Turn("Done."))
        people.headless("resume", session, "Go on.")
        eventually(lambda: memd.delivery(session) == "complete")
        assert memd.session(session)["health"] == "ok"
    assert len(checkpoints(responses.requests[-1])) == 1
    assert (people.home / "first.ran").read_text().count("ran") == 3  # startup, resume, compact
    memd.run("install", "codex", "--yes", "--trust-codex-hooks")
    memd.run("uninstall", "--yes")
    assert files(people) == before
    assert set(statuses(people).values()) == {"trusted"}


def test_a_hook_that_came_behind_ours_stays_trusted(people: Codex, memd: Memd) -> None:
    """Its place in the list is its name: it keeps it when ours go, and its run shows that Codex agrees."""
    memd.run("install", "codex", "--yes", "--trust-codex-hooks")
    content = json.loads(people.hooks.read_bytes())
    content["hooks"]["SessionStart"].append(theirs("third", people.home))
    people.hooks.write_text(json.dumps(content), encoding="utf-8")
    trust_all(people)
    memd.run("install", "codex", "--yes")
    assert set(statuses(people).values()) == {"trusted"}
    memd.run("uninstall", "--yes")
    left = statuses(people)
    assert (len(left), set(left.values())) == (4, {"trusted"})
    assert "memd" not in people.config.read_text(encoding="utf-8") + people.hooks.read_text(encoding="utf-8")
    people.headless(MISSION)
    assert [(people.home / f"{name}.ran").exists() for name in ("first", "second", "third", "stop")] == [True] * 4


def test_trust_that_the_person_gave_in_codex_goes_too(people: Codex, memd: Memd) -> None:
    """Reviewed on Codex's own screen, without a word to memd: its entries are for our hooks all the same."""
    before = files(people)
    memd.run("install", "codex", "--yes")
    trust_all(people)
    assert not {one for one in memd.findings() if one.startswith(("hooks-", "trust-"))}
    memd.run("uninstall", "--yes")
    assert files(people) == before


def test_what_codex_skips_is_told(people: Codex, responses: ScriptedModel, memd: Memd) -> None:
    """Installed and not trusted: `install` says so, the status is degraded with the code and the command that mends it."""
    said = memd.run("install", "codex", "--yes")
    assert "skips memd's hooks until you trust them: start `codex` and choose to review the hooks" in said
    assert set(statuses(people).values()) == {"trusted", "untrusted"}
    with memd.daemon():
        session = people.headless(MISSION).session
        eventually(lambda: memd.session(session).get("checkpoint"))
        assert reasons(memd, session) == {"hooks-untrusted": TRUST}
        assert memd.session(session)["health"] == "degraded"
        assert memd.findings() >= {"hooks-untrusted"}
        memd.run("install", "codex", "--yes", "--trust-codex-hooks")
        assert reasons(memd, session) == {}
        assert not memd.findings() & {"hooks-untrusted", "trust-unchecked"}


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("\n[features]\nhooks = false\n", "hooks-disabled"),
        ("untrust", "hooks-untrusted"),
        ("change", "hooks-modified"),
        ("switch", "hooks-skipped"),
    ],
)
def test_each_way_of_not_running_has_its_name(people: Codex, memd: Memd, how: str, code: str) -> None:
    """What the files tell the status and what Codex tells the doctor are the same."""
    memd.run("install", "codex", "--yes", "--trust-codex-hooks")
    text = people.config.read_text(encoding="utf-8")
    head, key, rest = text.partition("session_start:2:0")
    if how == "untrust":
        text = head + "session_start:7:0" + rest
    elif how == "change":
        text = head + key + rest.replace("sha256:", "sha256:0", 1)
    elif how == "switch":
        text = head + key + rest.replace("trusted_hash", "enabled = false\ntrusted_hash", 1)
    else:
        text += how
    people.config.write_text(text, encoding="utf-8")
    assert memd.findings() >= {code}
    assert [one for one in memd.findings() if one.startswith("hooks-")] == [code]
    people.headless(MISSION)
    memd.run("ingest", str(people.rollouts[0]))
    assert [one for one in reasons(memd, people.session) if one.startswith("hooks-")] == [code]


def test_another_memd_keeps_the_trust(people: Codex, memd: Memd) -> None:
    """The command names what stays over upgrades: a new hook script and another interpreter change nothing for Codex."""
    memd.run("install", "codex", "--yes", "--trust-codex-hooks")
    data = people.home / ".local" / "share" / "memd"
    for path in (data / "memd_hook.py", data / "hook" / "memd_hook.py"):
        path.write_text("# an older memd's\n", encoding="utf-8")
    (data / "bin" / "python3").unlink()
    (data / "bin" / "python3").symlink_to("/usr/bin/env")
    before = files(people)
    with memd.daemon():
        pass
    said = memd.run("install", "codex", "--yes")
    assert "skips memd's hooks" not in said
    assert files(people) == before
    assert set(statuses(people).values()) == {"trusted"}


def test_a_home_behind_a_link(people: Codex, memd: Memd) -> None:
    """Dot files in a repository of their own: Codex and memd mean the same hooks, and take them out of the same files."""
    real = people.home / "dotfiles"
    people.config.parent.rename(real)
    people.config.parent.symlink_to(real)
    trust_all(people)
    before = files(people)
    memd.run("install", "codex", "--yes", "--trust-codex-hooks")
    assert set(statuses(people).values()) == {"trusted"}
    assert not {one for one in memd.findings() if one.startswith(("hooks-", "trust-"))}
    memd.run("uninstall", "--yes")
    assert files(people) == before


def reasons(memd: Memd, session: str) -> dict[str, str]:
    """The codes of the status with what mends each."""
    return {reason["code"]: reason["fix"] for reason in memd.session(session)["reasons"]}


def test_the_plugin_does_the_same(people: Codex, responses: ScriptedModel, memd: Memd) -> None:
    """Who prefers `codex plugin` gets the same text; nobody's `hooks.json` is touched, and the doctor knows of it."""
    before = files(people)
    people.plugin("marketplace", "add", str(Path(__file__).parents[2] / "hooks" / "codex"))
    people.plugin("add", "memd@memd")
    with memd.daemon():
        assert memd.findings() >= {"hooks-untrusted"}
        trust_all(people)
        assert not {one for one in memd.findings() if one.startswith(("hooks-", "not-installed"))}
        session = people.headless(MISSION).session
        responses.push(run("echo one", tokens=90_000), Turn("Done."))
        people.headless("resume", session, "Go on.")
        eventually(lambda: memd.delivery(session) == "complete")
        assert reasons(memd, session) == {}
    (given,) = checkpoints(responses.requests[-1])
    assert MISSION in given.text
    assert people.hooks.read_bytes() == before[people.hooks.name][1]
    memd.run("uninstall", "--yes")
    assert files(people) == before
