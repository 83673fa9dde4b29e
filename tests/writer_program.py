"""A program in the place of `claude`, which does in each run what the test wrote down for it."""

import json
import sys
import textwrap

SCRIPT = """\
#!{python}
import json, os, subprocess, sys, time
here = os.path.dirname(os.path.abspath(__file__))
fds = "/proc/self/fd"
opened = [os.path.realpath(os.path.join(fds, fd)) for fd in os.listdir(fds)] if os.path.isdir(fds) else []
count = len([name for name in os.listdir(here) if name.startswith("run")])
with open(os.path.join(here, "new"), "w") as log:
    json.dump({{"arguments": sys.argv[1:], "request": sys.stdin.read(), "environ": dict(os.environ), "cwd": os.getcwd(),
               "open": opened, "files": {{n: open(n).read() for n in os.listdir(".")}}}}, log)
os.rename(os.path.join(here, "new"), os.path.join(here, "run%d" % count))
plans = json.load(open(os.path.join(here, "plan.json")))
plan = plans[min(count, len(plans) - 1)]
for name, old, new in plan.get("edit", []):
    text = open(name, encoding="utf-8").read() if os.path.exists(name) else ""
    assert old in text, (name, old)
    open(name, "w", encoding="utf-8").write(text.replace(old, new, 1) if old else new)
for name in plan.get("remove", []):
    os.remove(name)
if plan.get("child"):
    subprocess.Popen(["/bin/sleep", "600"])
time.sleep(plan.get("sleep", 0))
if plan.get("kill"):
    os.kill(os.getpid(), 9)
if "raw" in plan:
    sys.stdout.write(plan["raw"])
    sys.exit(plan.get("exit", 0))
print(json.dumps({{"type": "result", "subtype": plan.get("subtype", "success"), "is_error": plan.get("error", False),
                  "result": plan.get("answer", ""), "modelUsage": {{"m": {{"inputTokens": plan.get("tokens", 1000)}}}}}}))
sys.exit(plan.get("exit", 0))
"""


class Program:
    """`claude` in a folder of its own; `env` puts it on the PATH."""

    def __init__(self, folder):
        self.folder = folder / "bin"
        self.folder.mkdir()
        path = self.folder / "claude"
        path.write_text(textwrap.dedent(SCRIPT).format(python=sys.executable))
        path.chmod(0o755)
        self.home = folder / "their-home"
        self.home.mkdir()
        self.env = {"PATH": str(self.folder), "HOME": str(self.home), "CLAUDECODE": "1", "LANG": "C.UTF-8"}

    def plays(self, *plans):
        """What it does in each run, the last again and again."""
        (self.folder / "plan.json").write_text(json.dumps(plans))

    @property
    def runs(self):
        """What it was given, run by run."""
        return [json.loads(path.read_text()) for path in sorted(self.folder.glob("run*"))]
