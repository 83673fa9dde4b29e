"""A Debian of its own, booted with systemd: the place where memd is a service for real.

    base       what debootstrap makes of the machine's own package source; kept in `.service-root/`, 300 MB, made once
    fetch      wheels of memd and what it needs, for the container's Python (there is no network inside)
    furnish    memd in /opt/memd, and one person
    booted     all that, run by systemd-nspawn until the tests are over

The person lingers, so that their service manager runs without a login.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from clients.waiting import eventually

TOOLS = ("debootstrap", "systemd-nspawn", "nsenter", "apt-get")
PACKAGES = "systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,python3,python3-venv"
PERSON = "ada"
MEMD = "/opt/memd/bin/memd"


class UnavailableError(Exception):
    """Something from outside is missing: a tool, a package source."""


def foreign():
    """Why this machine is not one where the container is expected to work; None where it is."""
    if sys.platform != "linux" or platform.freedesktop_os_release().get("ID") != "debian":
        return "the service is tried in a Debian container, which needs a Debian machine"
    return None if os.geteuid() == 0 else "the service is tried in a container, which only root can boot"


def missing():
    """Which of the tools are not installed."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def base(cache):
    """The bare system, made at the first call."""
    release = platform.freedesktop_os_release()["VERSION_CODENAME"]
    root = cache / f"{release}-{hashlib.sha256(PACKAGES.encode()).hexdigest()[:8]}"
    cache.mkdir(exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not root.is_dir():
            partial = cache / "partial"
            shutil.rmtree(partial, ignore_errors=True)
            command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, partial, _source(release)]
            _run(command, timeout=400)
            shutil.rmtree(partial / "var/cache/apt", ignore_errors=True)
            partial.rename(root)
    return root


def _source(release):
    """The package source of this very machine."""
    wanted = "$(SITE) $(RELEASE) $(COMPONENT)"
    command = ["apt-get", "indextargets", "--no-release-info", "--format", wanted, "Created-By: Packages"]
    for line in _run(command).splitlines():
        site, *rest = line.split()
        if rest == [release, "main"]:
            return site
    raise UnavailableError(f"apt knows no package source for {release}")


def fetch(root, source, cache):
    """Lay the wheels of memd and of all that it needs into the system, for its own Python."""
    version = _run(["chroot", root, "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).strip()
    folder = root / "opt" / "wheels"
    folder.mkdir()
    pip = [sys.executable, "-m", "pip", "--cache-dir", cache / "pip"]
    _run([*pip, "wheel", "-q", "--no-deps", "-w", folder, source])
    only = ["--only-binary=:all:", "--python-version", version]
    _run([*pip, "download", "-q", *only, "-d", folder, *folder.glob("memd-*.whl")])


def _run(command, **options):
    """Run a program outside of the container; what it printed. Nobody's settings, but the way to the registries."""
    own = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "SSL_")) or "PROXY" in name.upper()
    }
    env = own | {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "LANG": "C.UTF-8"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, **{"timeout": 200, **options})
    if done.returncode:
        words = " ".join(map(str, command[:4]))
        raise UnavailableError(f"`{words} …` exits {done.returncode}: {(done.stderr + done.stdout)[-1500:]}")
    return done.stdout


class Container:
    """A booted system, until the end of `booted`."""

    def __init__(self, root, init):
        self.root = root
        self._init = init
        self.home = root / "home" / PERSON

    def sh(self, script, *, check=True):
        """Run a script as the person, with their own environment; the finished process."""
        prelude = "export XDG_RUNTIME_DIR=/run/user/$(id -u); "
        done = self.as_root("su", "-", PERSON, "-c", prelude + script)
        assert not check or done.returncode == 0, f"{script}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def as_root(self, *words):
        """Run a program as the container's root."""
        command = ["nsenter", "-t", str(self._init), "-a", *words]
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False
        )

    def own(self):
        """Make everything in the home the person's: what a test writes there from outside is root's."""
        self.as_root("chown", "-R", f"{PERSON}:{PERSON}", f"/home/{PERSON}")


def furnish(root):
    """Put memd and the person into a bare system."""
    inside = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "chroot", root]
    _run([*inside, "python3", "-m", "venv", "/opt/memd"])
    _run([*inside, "/opt/memd/bin/pip", "install", "-q", "--no-index", "--find-links", "/opt/wheels", "memd"])
    _run([*inside, "useradd", "-m", "-s", "/bin/bash", PERSON])
    linger = root / "var" / "lib" / "systemd" / "linger" / PERSON
    linger.parent.mkdir(exist_ok=True)
    linger.touch()


@contextmanager
def booted(furnished, folder, *options):
    """Boot a copy of the system, wait for the person's service manager, and afterwards shut it down and remove it.

    `options` are systemd-nspawn's; what the console says is in `folder`.
    """
    root, log = folder / "root", folder / "console"
    try:
        _run(["cp", "-a", "--reflink=auto", furnished, root])
        with _running(root, log, *options) as container:
            yield container
    finally:
        shutil.rmtree(root, ignore_errors=True)


@contextmanager
def _running(root, log, *options):
    name = f"memd-{hashlib.sha256(bytes(root)).hexdigest()[:12]}"
    command = ["systemd-nspawn", "-q", "-D", root, "-M", name, "--boot", "--private-network", "--register=no"]
    command += ["--keep-unit", *options]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    init = None
    try:
        init = eventually(lambda: _child(process, log), seconds=30)
        container = Container(root, init)
        ready = "systemctl --user is-system-running"
        eventually(lambda: container.sh(ready, check=False).stdout.strip() in {"running", "degraded"}, seconds=60)
        yield container
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.kill(init or process.pid, signal.SIGKILL)  # with its first process all others of the container end
            process.wait(30)


def _child(process, log):
    """The container's first process."""
    assert process.poll() is None, f"systemd-nspawn ended: {log.read_text(errors='replace')[-1500:]}"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(children[0]) if children else None
