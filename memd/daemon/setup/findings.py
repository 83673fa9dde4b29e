"""What is wrong with an installation, and the command that mends it: facts in, findings out.

Each finding has a code that stays the same, for scripts and for the documentation. Where nothing is installed at all,
that is the one finding: the rest follows from it.
"""

import re
from collections.abc import Iterator
from shlex import quote

from msgspec import Struct

from memd import __version__
from memd.daemon.setup.facts import SetupFacts, ToolFacts
from memd.daemon.setup.service import ServiceFacts, again
from memd.tools.registry import TOOLS

ENOUGH = 200 * 2**20
"""Bytes free on disk below which a person should know: a year's record is of that order."""

INSTALL = "memd install"
FIX = "memd doctor --fix"
RUN = "memd run"
SERVICE = "memd install --service"
WATCHES = "sudo sysctl fs.inotify.max_user_watches=1048576"


_HINDERS = {f"hooks-{fault}" for fault in ("unreadable", "malformed", "disabled", "managed")}
"""What keeps an installation from being made, or from being of any use."""


class Finding(Struct, frozen=True):
    """One thing that is wrong."""

    code: str
    text: str
    fix: str
    """The command that mends it, or what a person has to do, where no command can."""
    safe: bool = False
    """Whether `memd doctor --fix` mends it."""
    note: bool = False
    """All is well in spite of it: good to know, and perhaps how it is wanted."""


def findings(facts: SetupFacts) -> tuple[Finding, ...]:
    """All that is wrong, what hinders most first; empty when all is well."""
    if not any(tool.installed for tool in facts.tools):
        where = ", ".join(str(tool.settings) for tool in facts.tools) or "no coding agent was found"
        first = Finding("not-installed", f"memd's hooks are in no coding agent's settings ({where})", INSTALL)
        before = [finding for tool in facts.tools for finding in _tool(tool) if finding.code in _HINDERS]
        return (
            *before,
            first,
            *_config(facts),
            *_outdated(facts),
            *(() if facts.state == "missing" else _state(facts)),
        )
    found = [finding for tool in facts.tools for finding in _tool(tool)]
    found += [finding for tool in facts.tools if tool.installed for finding in _client(tool, facts.backfill_days)]
    return (*found, *_hook(facts), *_config(facts), *_daemon(facts), *_service(facts.service), *_state(facts))


def _tool(tool: ToolFacts) -> Iterator[Finding]:
    trust = f"{INSTALL} {tool.name} --trust-{tool.name}-hooks"
    texts = {
        "missing": (f"the hooks are gone from {tool.settings}", f"{INSTALL} {tool.name}", tool.installed),
        "changed": (f"the hooks in {tool.settings} are not as they should be", FIX, True),
        "disabled": (
            f"{tool.settings}: {_joined(tool) or 'every hook is switched off'}",
            "take that setting out",
            False,
        ),
        "untrusted": (f"the hooks in {tool.settings} are not trusted, and skipped without a word", trust, False),
        "modified": (f"the hooks in {tool.settings} are not those that were trusted, and are skipped", trust, False),
        "doubled": (f"the hooks are in {tool.settings} and in memd's plugin too", "take the plugin out there", False),
        "skipped": (f"hooks of {tool.settings} are switched off one by one", "switch them on again there", False),
        "malformed": (f"{tool.settings}: {_joined(tool)}", "mend that entry", False),
        "unreadable": (f"{tool.settings} cannot be used: {_joined(tool)}", "mend that file", False),
        "managed": (f"no hook of yours runs: {tool.ruled}", "ask whoever manages this machine to take it out", False),
        "silent": (f"the plugin {tool.settings} {_SILENT}", f"restart {tool.name}", False),
    }
    for fault in (*tool.faults, *(["silent"] if tool.silent(tool.newest) else [])):
        text, fix, safe = texts.get(fault, (f"{tool.settings}: {fault}", f"{INSTALL} {tool.name}", False))
        yield Finding(f"hooks-{fault}", f"{tool.name}: {text}", FIX if safe else fix, safe)
    if tool.unasked is not None:
        text = f"{tool.name} could not be asked whether it runs the hooks ({tool.unasked}); its files say so"
        yield Finding("trust-unchecked", text, f"start {tool.name} and look there", note=True)


def _client(tool: ToolFacts, days: int) -> Iterator[Finding]:
    """What a person should know of the client itself."""
    tested = TOOLS[tool.name].tested
    if tool.version and _newer(tool.version, tested):
        text = f"{tool.name} {tool.version} is newer than {tested}, on which this memd was measured"
        yield Finding("client-newer", text, "memd status, which counts rows of types that it does not know", note=True)
    if tool.deletes_after is not None and tool.deletes_after < days:
        text = (
            f"{tool.name} deletes its transcripts after {tool.deletes_after} days ({tool.settings}), sooner than memd would "
            f"still read them ({days})"
        )
        yield Finding("transcripts-deleted", text, "keep the daemon running, or set a longer time there", note=True)


def _newer(version: str, tested: str) -> bool:
    """By their numbers; a version without any is not."""
    found, known = (tuple(map(int, re.findall(r"\d+", one)[:3])) for one in (version, tested))
    return found > known


_SILENT = (
    "gives no sign of life while sessions go on: prompts are graded lower without its word, and nothing is given back"
)


def _joined(tool: ToolFacts) -> str:
    return "; ".join(note.removeprefix(f"{tool.settings}: ") for note in tool.notes)


def _hook(facts: SetupFacts) -> Iterator[Finding]:
    if facts.hook.copy != "ok":
        what = "is missing" if facts.hook.copy == "missing" else "is not the one of this memd"
        yield Finding(f"hook-{facts.hook.copy}", f"the hook in {facts.paths.data} {what}", FIX, safe=True)
    if facts.hook.link != "ok":
        what = "is missing" if facts.hook.link == "missing" else "leads to nothing that runs"
        yield Finding(
            f"interpreter-{facts.hook.link}", f"the link to Python in {facts.paths.data} {what}", FIX, safe=True
        )
    elif facts.hook.stale:
        text = f"the link to Python in {facts.paths.data} leads to another one than memd's own"
        yield Finding("interpreter-stale", text, FIX, safe=True, note=True)


def _config(facts: SetupFacts) -> Iterator[Finding]:
    if facts.config_error is not None:
        yield Finding("config-broken", f"no command and no daemon starts with {facts.config_error}", "mend that file")


def _daemon(facts: SetupFacts) -> Iterator[Finding]:
    service = facts.service
    if not facts.answers:
        mend = "systemctl --user restart memd.service" if service.kind == "systemd" else SERVICE
        fix = mend if service.kind else RUN
        text = f"no daemon answers at {facts.paths.socket}"
        if facts.holder is not None:
            who = f" (pid {facts.holder})" if facts.holder else ""
            text += f"; a daemon that stands still, or another memd at work{who}, holds the record"
            fix = fix if service.kind or not facts.holder else f"kill -9 {facts.holder} && {RUN}"
        yield Finding("daemon-silent", text, fix)
    yield from _outdated(facts)
    have, want = facts.watches
    if have < want:
        text = f"the system gives {have} of {want} file watches; memd looks each second instead"
        yield Finding("few-watches", text, WATCHES, note=True)


def _outdated(facts: SetupFacts) -> Iterator[Finding]:
    if not facts.answers or (facts.version in {None, __version__} and not _is_older(facts)):
        return
    text = f"the daemon that runs is memd {facts.version}, and this is {__version__}"
    if _is_older(facts):
        text = "the daemon that runs is of an older memd, and keeps the record in a shape that this memd's commands cannot read"
    yield Finding("daemon-outdated", text, again(facts.service.kind, facts.pid))


def _is_older(facts: SetupFacts) -> bool:
    """Whether the record is an older memd's: where no daemon runs, that is nothing, since whoever writes next mends it."""
    return facts.record is not None and facts.record.kind == "older"


def _service(service: ServiceFacts) -> Iterator[Finding]:
    if service.kind is None:
        why = f" ({service.trouble})" if service.trouble else ""
        fix = RUN if service.trouble else SERVICE
        yield Finding("no-service", f"nothing will restart the daemon{why}", fix, note=service.trouble is not None)
    elif service.trouble:
        yield Finding(
            "service-unreachable", f"the service is written, but {service.trouble}", "log in, then look again"
        )
    elif not service.enabled:
        yield Finding("service-disabled", "the service is installed and does not start by itself", SERVICE)
    elif not service.current:
        yield Finding("service-outdated", "the service's unit is not what this memd would write", SERVICE)
    if not service.confined:
        text = "the daemon runs without a read-only file system: this machine gave users no namespaces of their own"
        yield Finding("service-unconfined", text, SERVICE, note=True)
    if service.linger is False:
        yield Finding("no-linger", "the daemon ends when you log out", "loginctl enable-linger", note=True)


def _state(facts: SetupFacts) -> Iterator[Finding]:
    folder = facts.paths.state
    match facts.state:
        case "open":
            yield Finding("state-open", f"other users can look into {folder}", FIX, safe=True)
        case "missing":
            yield Finding("state-missing", f"{folder} is not there", FIX, safe=True)
        case "readonly":
            yield Finding("state-readonly", f"{folder} cannot be written", f"chmod u+rwx {folder}")
        case "foreign":
            yield Finding("state-foreign", f"{folder} is another user's", "move it away, or set MEMD_STATE_DIR")
    if facts.state == "ok" and facts.record is not None and not _is_older(facts):
        restart = "systemctl --user restart memd.service" if facts.service.kind == "systemd" else RUN
        file = quote(str(folder / "memd.db"))
        mends = {
            "closed": f"chmod u+rw {file}",
            "newer": "install that newer memd",
            "foreign": f"mv -n {file} {file}.other",
        }
        yield Finding(f"record-{facts.record.kind}", facts.record.text, mends.get(facts.record.kind, restart))
    if facts.free_bytes < ENOUGH:
        yield Finding("disk-full", f"only {facts.free_bytes // 2**20} MiB are free for {folder}", f"df -h {folder}")
