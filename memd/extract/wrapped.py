"""What only wraps a simple command: words of the shell, variables that are set for it, and programs that run it (`sudo`). Pure.

A program is left out with its options, so that the command is one like any other. One that goes to another directory first, or is
handed a whole line (`env -C`, `env -S`, `flock -c`), stays: `memd/extract/argv.py` tells what it runs.
"""

import re

from msgspec import Struct

from memd.extract.argv import INSIDE


class Wrapper(Struct, frozen=True):
    """Programs that run the command behind their options, here and as it stands.

    Attributes:
        programs: their names, with a blank between.
        letters: options of one letter that take a word of their own.
        names: the long ones that do.
        places: words between the options and the command.
        stays: options, as a pattern, with which it is more than a wrapper.
        only: options, as a pattern, without which it is another thing.
    """

    programs: str
    letters: str = ""
    names: str = ""
    places: int = 0
    stays: str = ""
    only: str = ""


_WRAPPERS = (
    Wrapper("nohup setsid chronic unbuffer fakeroot busybox dbus-run-session builtin"),
    Wrapper("time", "of"),
    Wrapper("exec", "a"),
    Wrapper("command", stays="-[vV]"),
    Wrapper("env", "u", "unset", stays=r"-(?:\w*[SC]|-split-string|-chdir)"),
    Wrapper("sudo", "CghpRTUu", "user group host prompt role type chroot", stays=r"-(?:\w*D|-chdir)"),
    Wrapper("doas", "Cu"),
    Wrapper("runuser", "ugG", "user group", only="-(?:u|-user)"),
    Wrapper("flock", "wE", "timeout conflict-exit-code", 1, stays="-(?:c|-command)"),
    Wrapper("nice", "n", "adjustment"),
    Wrapper("ionice", "cn", "class classdata"),
    Wrapper("chrt", "TPD", places=1),
    Wrapper("taskset", places=1),
    Wrapper("numactl", "NmCpi", "cpunodebind membind physcpubind preferred interleave"),
    Wrapper("stdbuf", "ioe", "input output error"),
    Wrapper("timeout", "ks", "kill-after signal", 1),
    Wrapper("caffeinate", "tw"),
    Wrapper("unshare", "RwSG", "root wd setuid setgid propagation"),
    Wrapper("setpriv", names="reuid regid groups inh-caps bounding-set ambient-caps securebits"),
    Wrapper("systemd-run", "puEHM", "property unit slice description setenv uid gid host machine", stays="--working-dir"),
    Wrapper("strace ltrace", "oepsuaEISX"),
    Wrapper("watch", "n", "interval"),
    Wrapper("xvfb-run", "nsefw", "server-num server-args"),
    Wrapper("sshpass", "pfd"),
)  # fmt: skip
_WORD = r"(?>(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s'\"\\])+)"
_AHEAD = (
    r"[({]\s*",
    r"!\s+",
    rf"\w+=(?>'[^']*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|\$\({INSIDE}\)|\\.|\S)*+\s+",
    r"(?:then|do|else|if|elif|while|until)\s+",
)
_BEHIND = re.compile(r"(?:\s*(?:\d?>>?&?\s*(?:\d|/dev/null)(?=\s|$)|&>\s*/dev/null)|(?:^|\s+)\})+$")


def _pattern(wrapper: Wrapper) -> str:
    """A wrapper with all that stands before the command."""
    worded = [rf"-\w*[{wrapper.letters}]\s+{_WORD}"] if wrapper.letters else []
    worded += [rf"--(?:{'|'.join(wrapper.names.split())})\s+{_WORD}"] if wrapper.names else []
    option = rf"(?:{'|'.join([*worded, f'-{_WORD}?'])})\s+"
    stays = f"(?!{wrapper.stays})" if wrapper.stays else ""
    only = f"(?={wrapper.only})" if wrapper.only else ""
    place = rf"(?:(?!-){_WORD}\s+{stays}){{{wrapper.places}}}"
    return rf"(?:{'|'.join(wrapper.programs.split())})\s+{only}(?>(?:{stays}{option})*){stays}{place}"


_ALL = re.compile(rf"(?>(?:{'|'.join(_AHEAD)}|(?:/\S*/)?(?:{'|'.join(map(_pattern, _WRAPPERS))}))+)", re.DOTALL)


def unwrapped(part: str) -> str:
    """A command without what only wraps it.

    >>> unwrapped("sudo -u x env A=1 nice -n 5 make > /dev/null 2>&1"), unwrapped("then timeout 5 git push)")
    ('make', 'git push')
    """
    text, before = part.strip(), ""
    ahead = _ALL.match(text)
    text = text[ahead.end() :] if ahead else text
    while text != before:
        before, text = text, _BEHIND.sub("", text).strip()
        if text.endswith(")") and text.count(")") > text.count("("):  # of a shell around it
            text = text[:-1].strip()
    return text
