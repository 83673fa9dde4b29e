"""`memd config`: each setting, its value, and where that comes from."""

import json
import os
import sys
from typing import Any

import click

from memd import config
from memd.cli.common import print_json
from memd.config import Paths, Setting
from memd.errors import NotFound
from memd.model.text import printable

_PLACES = (("state", "MEMD_STATE_DIR"), ("config", "MEMD_CONFIG"), ("socket", "MEMD_SOCKET"))
"""The places that a variable can name; the socket lies in the state directory otherwise."""


@click.command("config")
@click.argument("key", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(key: str | None, *, as_json: bool) -> None:
    """Show the settings, or those that KEY names (`checkpoint.at`, or all of `checkpoint`), and where each comes from.

    Nothing is changed: the settings file is yours to edit, and a running daemon reads it again on SIGHUP.
    """
    chosen, places = config.load(os.environ)
    found = [one for one in config.settings(chosen) if key is None or f"{one.key}.".startswith(f"{key}.")]
    if not found:
        known = ", ".join(one.key for one in config.settings(chosen))
        raise NotFound(f"no setting {key!r}; there are {known}")
    if as_json:
        settings = [{"key": one.key, "value": one.value, "origin": one.origin} for one in found]
        print_json({"version": 1, "path": str(places.config), "settings": settings})
        return
    for line in [*(_places(places) if key is None else []), *_lines(found)]:
        click.echo(line)


def _places(places: Paths) -> list[str]:
    """Where things are, and which variable said so."""
    lines = []
    for name, variable in _PLACES:
        said = f"  ({variable})" if os.environ.get(variable) else ""
        missing = "" if name == "socket" or getattr(places, name).exists() else "  (not there yet)"
        lines.append(_dim(f"# {name:<6} {printable(str(getattr(places, name)))}{said}{missing}"))
    return [*lines, ""]


def _lines(found: list[Setting]) -> list[str]:
    """As the settings file would have them, with the origin behind; one that has no value stands as a comment."""
    bare = [f"{one.key} = {_toml(one.value)}" if one.value is not None else f"# {one.key}" for one in found]
    width = max(map(len, bare))
    return [
        f"{printable(text):<{width}}  # {one.origin}"
        if one.origin == "file"
        else _dim(f"{text:<{width}}  # {one.origin}")
        for text, one in zip(bare, found, strict=True)
    ]


def _toml(value: Any) -> str:
    """JSON's way to write a string, a list of strings, a number or a truth value is TOML's too."""
    return json.dumps(value, ensure_ascii=False)


def _dim(text: str) -> str:
    return click.style(text, dim=True) if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text
