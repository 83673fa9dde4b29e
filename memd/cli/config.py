"""`memd config`: each setting, its value, and where that comes from; and how one is set."""

import json
import math
import os
import signal
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import click

from memd import config
from memd.cli.common import daemon_state, print_json, styled, typed
from memd.cli.completion import among, settings
from memd.config import Paths, Setting
from memd.errors import ConfigError, NotFound
from memd.model.text import printable

_PLACES = (("state", "MEMD_STATE_DIR"), ("config", "MEMD_CONFIG"), ("socket", "MEMD_SOCKET"))
"""The places that a variable can name; the socket lies in the state directory otherwise."""


@click.command("config")
@click.argument("key", required=False, shell_complete=among(settings))
@click.argument("values", nargs=-1, metavar="[VALUE]...")
@click.option("--unset", is_flag=True, help="Take KEY out of the settings file: its default holds again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(key: str | None, values: tuple[str, ...], *, unset: bool, as_json: bool) -> None:
    """Show the settings, or those that KEY names (`checkpoint.at`, or all of `checkpoint`), and where each comes from.

    With VALUE, set KEY: the line in the settings file is changed or added, all others stay as they are, and a running
    daemon reads them again. A setting that is a list takes several.

    \b
        memd config checkpoint.writer agent
        memd config ignore '~/private/**' '/srv/clients/**'
        memd config --unset ignore
    """  # noqa: D301 - click's mark for lines that stay as they are
    if values or unset:
        if key is None or as_json or (values and unset):
            raise click.UsageError("give KEY and VALUE, or --unset and KEY")
        _change(key, tuple(map(typed, values)))
        return
    chosen, places = config.load(os.environ)
    found = [one for one in config.settings(chosen) if key is None or f"{one.key}.".startswith(f"{key}.")]
    if not found:
        raise _unknown(str(key))
    if as_json:
        settings = [{"key": one.key, "value": one.value, "origin": one.origin} for one in found]
        print_json({"version": 1, "path": str(places.config), "settings": settings})
        return
    for line in [*(_places(places) if key is None else []), *_lines(found)]:
        click.echo(line)


def _unknown(key: str) -> NotFound:
    known = ", ".join(one.key for one in config.settings(config.Config()))
    return NotFound(f"no setting {key!r}; there are {known}")


def _change(key: str, values: tuple[str, ...]) -> None:
    """Set the key, or without values unset it; what is in force then is shown, and the daemon told."""
    from memd.daemon.setup import own  # noqa: PLC0415 - only where something changes

    if key not in {one.key for one in config.settings(config.Config())}:
        raise _unknown(key)
    places = config.paths(os.environ)
    if values:
        _put(places, key, values)
    else:
        own.unset(places, key)
    chosen = config.read(places.config)
    click.echo(_lines([one for one in config.settings(chosen) if one.key == key])[0])
    daemon = daemon_state(places)
    if daemon is not None:
        with suppress(ProcessLookupError):
            os.kill(int(daemon["pid"]), signal.SIGHUP)
            click.echo(f"The daemon (pid {daemon['pid']}) reads the settings again.")


def _put(places: Paths, key: str, values: tuple[str, ...]) -> None:
    """The first way to understand the words that the setting can have; else what is wrong with the first."""
    from memd.daemon.setup import own  # noqa: PLC0415

    wrong: ConfigError | None = None
    several = any(one.key == key and isinstance(one.value, list | tuple) for one in config.settings(config.Config()))
    for value in _meant(values, several=several):
        try:
            own.put(places, key, value)
        except ConfigError as error:
            wrong = wrong or error
        else:
            return
    if wrong is not None:
        raise wrong


def _meant(values: tuple[str, ...], *, several: bool) -> Iterator[object]:
    """What words on a command line may mean: TOML, a string, a list of strings; a list alone where the setting is one."""
    if len(values) == 1:
        with suppress(ValueError):
            value = tomllib.loads(f"value = {values[0]}")["value"]
            if _written(value) and isinstance(value, list) >= several:
                yield value
        if not several:
            yield values[0]
    yield list(values)


def _written(value: object) -> bool:
    """Whether JSON writes it as TOML does; a date, a table and what is no number are none of a setting's values."""
    if isinstance(value, list):
        return all(map(_written, value))
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _places(places: Paths) -> list[str]:
    """Where things are, and which variable said so."""
    lines = []
    for name, variable in _PLACES:
        said = f"  ({variable})" if os.environ.get(variable) else ""
        missing = "" if name == "socket" or getattr(places, name).exists() else "  (not there yet)"
        lines.append(styled(f"# {name:<6} {printable(str(getattr(places, name)))}{said}{missing}", dim=True))
    return [*lines, ""]


def _lines(found: list[Setting]) -> list[str]:
    """As the settings file would have them, with the origin behind; one that has no value stands as a comment."""
    bare = [f"{one.key} = {_toml(one.value)}" if one.value is not None else f"# {one.key}" for one in found]
    width = max(map(len, bare))
    return [
        f"{printable(text):<{width}}  # {one.origin}"
        if one.origin == "file"
        else styled(f"{text:<{width}}  # {one.origin}", dim=True)  # a default is our own
        for text, one in zip(bare, found, strict=True)
    ]


def _toml(value: Any) -> str:
    """JSON's way to write a string, a list of strings, a number or a truth value is TOML's too."""
    return json.dumps(value, ensure_ascii=False)
