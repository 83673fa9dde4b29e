"""A plugin folder's hook, run as a client does: beside memd's own hook, or without one."""

import json
import subprocess

FAKE = '#!/bin/sh\necho "$@"\n'


def said(tmp_path, folder, root, number, *, there):
    """Exit code, output and complaints of the SessionStart hook of this number; `root` names the plugin's folder to it."""
    data = tmp_path / "data" / "memd"
    (data / "bin").mkdir(parents=True)
    if there:
        (data / "memd_hook.py").write_text("")
        (data / "bin" / "python3").write_text(FAKE)
        (data / "bin" / "python3").chmod(0o755)
    env = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "PATH": "/usr/bin:/bin", root: str(folder)}
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]
    command = hooks["SessionStart"][number]["hooks"][0]["command"]
    done = subprocess.run(["/bin/sh", "-c", command], env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.replace(str(data), "DATA"), done.stderr
