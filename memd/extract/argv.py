"""A simple command as its words, and the command that a program is handed among them (`bash -c`, `ssh`, `xargs`). Pure."""

import re
import shlex
from collections.abc import Sequence

from msgspec import Struct

from memd.model.secrets import STAND_IN

LONGEST = 131_072
"""Characters of a simple command that are taken apart as a shell does it, at a cost that grows with their square: no more than
that fits into an argument (Linux)."""
UNSEEN = "*"
"""What stands for the arguments that only running it shows (`xargs rm`, `find -exec rm {} +`)."""
INSIDE = r"(?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+"
"""What stands in a substitution's brackets, as a pattern: brackets in it are closed again."""
_BLANK = "\ue000"
"""The blank inside of what stands for a secret, while a line is cut into words: of a private use area."""


class Carrier(Struct, frozen=True):
    """How a program is handed the command that it runs.

    Attributes:
        programs: their names, with a blank between.
        behind: the words behind which the command, or the place to run it, stands; empty: behind the options.
        worded: options that take a word of their own.
        places: words that stand before the command and name where it is run.
        elsewhere: it is run on another machine or in a container, so its paths are none of here.
        stays: what is done there stays, so a command that is not known counts; a container of its own goes with it.
        line: its words are a line for a shell there, not arguments.
    """

    programs: str
    behind: str = ""
    worded: str = ""
    places: int = 0
    elsewhere: bool = False
    stays: bool = False
    line: bool = False


class Carried(Struct, frozen=True):
    """A shell line that a program is handed."""

    line: str
    elsewhere: bool
    stays: bool = False


_HELD = re.compile(rf"\w+=(\"?)(?:\$\((?!\()(?P<line>{INSIDE})\)|`(?P<old>[^`]*)`)\1", re.DOTALL)
"""A variable that is given what a line prints, and nothing else."""
_SHELLS = {
    **dict.fromkeys(("bash", "sh", "zsh", "dash", "ksh", "fish", "su", "runuser"), r"-(?!-)\w*c|--command"),
    **dict.fromkeys(("pwsh", "powershell"), r"(?i:-c(?:ommand)?)"),
    "cmd": r"(?i:/[ck])",
    **dict.fromkeys(("flock", "script"), r"-(?!-)\w*c|--command"),
}
"""Shells and what starts one, and the option behind which the line stands that they are handed."""
_READING = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})
"""Those that run what they are given to read."""
_WHOLE = frozenset({"pwsh", "powershell", "cmd"})
"""Those that take all words behind the option for the line."""
_FILE = re.compile(r"\s-(?:f(?:ile)?|e(?:c|nc\w*)?)\s", re.IGNORECASE)
"""What says that PowerShell is given a script, or a line that nobody can read."""
_GOING = {
    name: re.compile(rf"-{flags}*(?:(?P<place>{place})|(?P<line>{line})|{worded})(?P<value>.*)", re.DOTALL)
    for name, flags, place, line, worded in (
        ("env", "[iv0]", "C|-chdir=?", "S|-split-string=?", "(?:u|-unset=?)"),
        ("sudo", "[ABbEHiKklNnPSsv]", "D|-chdir=?", "(?!)", "(?:[CghpRrTtUu]|-(?:user|group|host|prompt|role|type|chroot)=?)"),
        ("systemd-run", "[dGPqrSt]", "-working-directory=?", "(?!)",
         "(?:[EHMpu]|-(?:property|unit|slice|description|setenv|uid|gid|host|machine)=?)"),
    )
}  # fmt: skip
"""What goes to a directory before it runs a command, or takes a line apart: an option of it that takes a word, and the word where
it stands in it."""
_IN_DOCKER = (
    "-a -c -e -h -l -m -p -u -v -w --add-host --attach --cap-add --cap-drop --cidfile --cpus --device --dns --entrypoint --env"
    " --env-file --expose --gpus --hostname --ip --ipc --label --log-driver --log-opt --memory --mount --name --net --network"
    " --pid --platform --publish --pull --restart --runtime --security-opt --shm-size --tmpfs --ulimit --user --userns --volume"
    " --volumes-from --workdir"
)
_CARRIERS = (
    Carrier(
        "ssh",
        "",
        "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w",
        1,
        elsewhere=True,
        stays=True,
        line=True,
    ),
    Carrier("docker podman nerdctl docker-compose", "exec", _IN_DOCKER, 1, elsewhere=True, stays=True),
    Carrier("docker podman nerdctl docker-compose", "run", _IN_DOCKER, 1, elsewhere=True),
    Carrier("kubectl oc", "--", elsewhere=True, stays=True),
    Carrier("chroot", places=1, elsewhere=True, stays=True),
    Carrier("heroku", "run run:detached", "-a --app -r --remote -s --size", elsewhere=True),
    Carrier("fly flyctl", "-C --command", elsewhere=True, line=True),
    Carrier("aws-vault chamber saml2aws doppler op infisical teller", "--", elsewhere=True),
    Carrier("tmux", "send-keys send", "-t -N", elsewhere=True, line=True),
    Carrier("tmux", "new-session new new-window", "-s -n -c -t -x -y -e -F", elsewhere=True, line=True),
    Carrier("xargs", worded="-a -d -E -I -L -n -P -s"),
    Carrier("parallel", worded="-a -j --jobs -I -n -N -S --colsep --delay --retries", line=True),
    Carrier("find", "-exec -execdir -ok -okdir"),
    Carrier("fd fdfind", "-x -X --exec --exec-batch"),
)
_NAMES = {name for carrier in _CARRIERS for name in carrier.programs.split()}
_BY_NAME = {name: [carrier for carrier in _CARRIERS if name in carrier.programs.split()] for name in _NAMES}
_END = "END_OF_DOCUMENT"
_ENDS = frozenset({";", "+", ":::", "::::", ":::+"})


def joined(text: str) -> str:
    """A text in which what stands for a secret is a part of its word, as the secret was."""
    return STAND_IN.sub(lambda found: found[0].replace(" ", _BLANK), text)


def parted(text: str) -> str:
    """The text again, before `joined`."""
    return text.replace(_BLANK, " ")


def words(part: str) -> list[str]:
    """The words of a simple command, without their quotation marks."""
    text = joined(part)
    try:
        found = shlex.split(text) if len(text) <= LONGEST else text.split()
    except ValueError:  # an open quotation mark
        found = text.split()
    return [parted(word) for word in found]


def program(part: str) -> str:
    """The program's name, without the folder that it is in."""
    return part.split(maxsplit=1)[0].rpartition("/")[2].lstrip("\\") if part.strip() else ""


def handed(part: str, document: str = "") -> str | None:
    """The line that a shell is handed to run here, as an argument, as a here-document or for what it prints; None for none.

    >>> (
    ...     handed("bash -lc 'cd web && make'"),
    ...     handed("eval git push"),
    ...     handed('at="$(git push)"'),
    ...     handed("bash build.sh"),
    ... )
    ('cd web && make', 'git push', 'git push', None)
    """
    if held := _HELD.fullmatch(part):
        return held["line"] or held["old"] or None
    name = program(part).removesuffix(".exe")
    if name not in _SHELLS and name != "eval" and name not in _GOING:
        return None
    rest = words(part)[1:]
    if name == "eval":
        return " ".join(rest)
    if name in _GOING:
        return _there(rest, _GOING[name])
    for at, word in enumerate(rest[:-1]):
        if re.fullmatch(_SHELLS[name], word):
            return " ".join(rest[at + 1 :]) if name in _WHOLE else rest[at + 1]
    if name == "powershell":  # what stands alone is a line there, for `pwsh` a file
        return None if _FILE.search(part) else next((word for word in rest if " " in word), None)
    script = next((word for word in rest if not word.startswith(("-", "<"))), None)
    return document or None if script is None and name in _READING else None


def _there(rest: Sequence[str], option: re.Pattern[str]) -> str:
    """What `env`, or a program like it, runs: where it goes to a directory first (`-C`), and what is in a line (`-S`)."""
    left, line = [*rest], ""
    while left and left[0].startswith("-"):
        if (match := option.fullmatch(left.pop(0))) is None:
            continue
        value = match["value"] or (left.pop(0) if left else "")
        if match["place"]:
            line += f"cd {shlex.quote(value)} && "
        elif match["line"]:
            line += f"{value} "
    return line + shlex.join(left)


def printed(part: str, document: str = "") -> str:
    """What a command prints, where it or its here-document says so; what shows a file, as the redirection that it could be.

    >>> printed("echo -n 'drop table x'"), printed("cat fix.sql"), printed("cat <<A", "drop table x"), printed("make")
    ('drop table x', '< fix.sql', 'drop table x', '')
    """
    name = program(part)
    if name not in {"echo", "printf", "cat"}:
        return ""
    rest = [word for word in words(part)[1:] if not word.startswith("-")]
    if name == "cat":
        shown = len(rest) == 1 and (document if rest[0].startswith("<<") else f"< {rest[0]}")
        return shown or ""
    return " ".join(rest)


def carried(part: str, document: str = "") -> Carried | None:
    """The command that a program is handed to run elsewhere, or on what is not seen here; None where it is handed none.

    >>> carried("ssh -p 22 prod 'rm -r /srv/x; df'").line, carried("docker run --rm -v a:/a x ls /a")
    ('rm -r /srv/x; df', Carried(line='ls /a', elsewhere=True, stays=False))
    """
    for carrier in _BY_NAME.get(program(part), ()):
        told = [_told(carrier, given) for given in _given(carrier, words(part)[1:])]
        line = "; ".join(filter(None, told))
        if document and told:
            line = f"{line} <<'{_END}'\n{document}\n{_END}" if line else document
        if line:
            return Carried(line, carrier.elsewhere, carrier.stays)
    return None


def _given(carrier: Carrier, rest: Sequence[str]) -> list[list[str]]:
    """The words of each command that is handed over, with the options and places before it."""
    if not carrier.behind:
        return [[*rest]]
    found, end, behind = list[list[str]](), 0, carrier.behind.split()
    for at, word in enumerate(rest):
        if at >= end and word in behind:
            end = next((place for place in range(at, len(rest)) if rest[place] in _ENDS), len(rest))
            found.append([*rest[at + 1 : end]])
    return found[:1] if carrier.places else found


def _told(carrier: Carrier, given: Sequence[str]) -> str:
    """One command as a shell's line."""
    rest = _behind_options([word for word in given if not word.startswith("<<")], carrier.worded.split())[
        carrier.places :
    ]
    rest = rest[: next((at for at, word in enumerate(rest) if word in _ENDS), None)]
    if not carrier.elsewhere and rest:
        rest = [UNSEEN if word == "{}" else word for word in rest]
        rest += [] if UNSEEN in rest else [UNSEEN]
    return " ".join(rest) if carrier.line else shlex.join(rest)


def _behind_options(rest: Sequence[str], worded: Sequence[str]) -> list[str]:
    """The words without the options that stand first."""
    at = 0
    while at < len(rest) and rest[at].startswith("-") and rest[at] != "--":
        at += 2 if rest[at] in worded else 1
    return [*rest[at + (rest[at : at + 1] == ["--"]) :]]
