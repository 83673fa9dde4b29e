"""A plugin that is installed and does not run: its client is silent about it, `memd status` and `memd doctor` are not."""

import json
import os
import time
from pathlib import Path

import pytest
from opencode_session import OpenCodeSession

from memd import config

HOUR = 3_600


@pytest.fixture
def session(call, home):
    """A session that went on just now; the plugin was put in an hour ago."""
    place = home / ".local" / "share" / "opencode"
    session = OpenCodeSession(place / "opencode.db", cwd=str(home))
    assert call("install", "opencode", "--yes")[0] == 0
    _age(HOUR)
    session.now()
    session.typed("Make the gateway fast.")
    session.says("It is.")
    assert call("ingest", place / "opencode.db")[0] == 0
    yield session
    session.close()


def _plugin():
    return Path(os.environ["HOME"]) / ".config" / "opencode" / "plugin" / "memd.js"


def _age(seconds):
    os.utime(_plugin(), (time.time() - seconds,) * 2)


def _beat(seconds, **fields):
    """The plugin's sign of life, as it left it so many seconds ago."""
    sign = config.paths(os.environ).state / "opencode" / "alive.json"
    sign.parent.mkdir(exist_ok=True)
    sign.write_text(json.dumps({"v": 1, "type": "alive", "at": int((time.time() - seconds) * 1000), **fields}))


def _said(call):
    """What `hooks-silent` says in `memd status` and in `memd doctor`, with what mends it; None where it is not said."""
    (one,) = json.loads(call("status", "--json")[1])["sessions"]
    found = json.loads(call("doctor", "--json")[1])["findings"]
    sides = [
        [(said["text"], said["fix"]) for said in reasons if said["code"] == "hooks-silent"]
        for reasons in (one["reasons"], found)
    ]
    return [side[0] if side else None for side in sides]


def test_entries_without_any_sign_are_told(call, session):
    """With what it costs, and that the client has to be restarted."""
    status, doctor = _said(call)
    cost = "and nothing is given back"
    sign = "memd's plugin for opencode is installed and gives no sign of life"
    assert status == (f"{sign}: prompts are graded lower without its word, {cost}", "restart opencode")
    sign = f"opencode: the plugin {_plugin()} gives no sign of life while sessions go on"
    assert doctor == (f"{sign}: prompts are graded lower without its word, {cost}", "restart opencode")


def test_a_fresh_sign_is_enough(call, session):
    """It is left once a minute; two are allowed for."""
    _beat(100)
    assert _said(call) == [None, None]


@pytest.mark.parametrize("fields", [{}, {"at": "now"}, {"at": None}])
def test_a_sign_of_long_ago_or_none_that_can_be_read_is_none(call, session, fields):
    """The client was started without the plugin since."""
    _beat(HOUR // 2, **fields)
    assert None not in _said(call)


def test_entries_from_before_the_installation_say_nothing(call, session):
    """The plugin could not have been there."""
    _age(0)
    assert _said(call) == [None, None]


def test_a_plugin_that_is_not_there_is_missing_and_not_silent(call, session):
    """And the text says what else is lost with it than what is given back."""
    _plugin().unlink()
    (one,) = json.loads(call("status", "--json")[1])["sessions"]
    assert _said(call) == [None, None]
    cost = "nothing can be given back, and prompts are graded lower without the plugin's word"
    assert [(reason["text"], reason["fix"]) for reason in one["reasons"] if reason["code"] == "hooks-missing"] == [
        (f"memd's hooks are not in opencode's settings: {cost}", "memd install opencode")
    ]
