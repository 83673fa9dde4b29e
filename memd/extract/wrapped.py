"""What only wraps a simple command: words of the shell, variables that are set for it, and programs that run it (`sudo`). Pure.

A program is left out with its options, so that the command is one like any other. One that goes to another directory first, or is
handed a whole line (`env -C`, `sudo -D`, `env -S`, `flock -c`), stays: `memd/extract/argv.py` tells what it runs.
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
    Wrapper(r"direnv\s+exec", places=1),
    Wrapper(r"(?:asdf|rbenv|pyenv|nodenv)\s+exec railway\s+run wsl"),
    Wrapper(r"nix\s+(?:develop|shell)(?:\s+(?!-c\s|--command\s)\S+)*+\s+(?:-c|--command)"),
)  # fmt: skip
_WORD = r"(?>(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s'\"\\])+)"
_AHEAD = (
    r"[({]\s*",
    r"!\s+",
    rf"\w+=(?>'[^']*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|\$\({INSIDE}\)|\\.|\S)*+\s+",
    r"(?:then|do|else|if|elif|while|until)\s+",
)
_BEHIND = re.compile(r"(?:\d?>>?&?\s{0,9}(?:\d|/dev/null)|&>\s{0,9}/dev/null|(?<!\S)\})\Z")
_TAIL = 32
"""One of these is no longer, so it is looked for in so many last characters: a look through all would cost their square."""


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
    text = part.strip()
    ahead = _ALL.match(text)
    begin, end = ahead.end() if ahead else 0, len(text)
    closing = text.count(")", begin) - text.count("(", begin)
    while begin < end:
        if text[end - 1].isspace():
            end -= 1
        elif behind := _BEHIND.search(text, max(begin, end - _TAIL), end):
            end = behind.start()
        elif closing > 0 and text[end - 1] == ")":  # of a shell around it
            end, closing = end - 1, closing - 1
        else:
            break
    return text[begin:end]
