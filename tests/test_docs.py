"""README and docs say what is true: their examples run, their commands, fields, codes, settings and links exist."""

import ast
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from documents import PAGES, ROOT, cells, fences, section
from played import MEMD

from memd import config
from memd.cli import COMMANDS, cli
from memd.health import verdict
from memd.model import Channel, Grade
from memd.tools.protocol import Tool

README = PAGES[0].read_text("utf-8")
REASONS = (ROOT / "docs" / "reasons.md").read_text("utf-8")
CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text("utf-8")

# What a newcomer does first.


def test_the_first_blocks_are_run_and_test():
    """On a fresh machine two commands do all of it: the first says how to run memd, the second how to test it."""
    first, second = fences(README)[:2]
    assert [first[0], second[0]] == ["Run", "Test"]
    assert len(fences(README, "Run")) == len(fences(README, "Test")) == 1
    for _, language, content in (first, second):
        assert language == "sh"
        assert 1 <= len(content.splitlines()) <= 3
        assert content.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert ".venv/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert second[2].splitlines()[-1] == ".venv/bin/python -m pytest"
    assert fences((ROOT / "CONTRIBUTING.md").read_text("utf-8"))[0][2].startswith(
        second[2].splitlines()[0].replace(" -q", "")
    )


@pytest.mark.parametrize("agent", [False, True], ids=["no agent", "Claude Code"])
def test_run_does_its_work_in_an_empty_home(tmp_path, agent):
    """README's lines behind the installation: hooks where there is an agent, an example where there is none; a daemon."""
    if agent:
        (tmp_path / ".claude").mkdir()
    _, *lines = fences(README, "Run")[0][2].splitlines()
    script = "\n".join(lines).replace(".venv/bin/", f"{Path(sys.executable).parent}/")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    with (tmp_path / "said").open("wb") as said:
        shell = ["bash", "-euo", "pipefail", "-c", script]
        process = subprocess.Popen(
            shell, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
        )
    try:
        _until_running(env, process)
    finally:
        os.killpg(process.pid, 15)
        process.wait(20)
    words = (tmp_path / "said").read_text("utf-8")
    if agent:
        assert "The hook itself" in words
        assert "memd_hook.py" in (tmp_path / ".claude" / "settings.json").read_text("utf-8")
    else:
        assert f"no coding agent was found (looked for claude-code in {tmp_path}/.claude" in words
        assert "ends here; receipt" in words
        assert not (tmp_path / ".claude").exists()


def _until_running(env, process):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        done = subprocess.run([*MEMD, "status", "--json"], env=env, capture_output=True, text=True, check=True)
        if json.loads(done.stdout)["daemon"]["running"]:
            return
        time.sleep(0.2)
    raise AssertionError(f"no daemon runs (exit code {process.poll()})")


def test_ci_runs_what_readme_says():
    """`.ci/run` takes the test command out of README; it is a program, and it parses."""
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", script], check=True)
    lines = script.read_text("utf-8").partition("block() {")[2].partition("\n}\n")[0]
    done = subprocess.run(
        ["bash", "-c", f"block() {{{lines}\n}}; block Test"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip("\n") == fences(README, "Test")[0][2]


# Commands, settings, links.


def options(command):
    return {option for parameter in command.params for option in parameter.opts if option.startswith("--")} - {"--help"}


def test_every_command_is_documented_and_every_documented_one_exists():
    """README's table has the commands of `memd --help`, in that order, each with all its options and no others."""
    rows = {re.match(r"`memd ([a-z]+)", row[0])[1]: row[1] for row in cells(section(README, "Commands"))}
    assert sorted(rows) == sorted(COMMANDS)
    helped = CliRunner().invoke(cli, ["--help"]).output
    for name, text in rows.items():
        assert re.search(rf"^  {name} ", helped, re.MULTILINE)
        assert set(re.findall(r"--[a-z-]+", text)) == options(cli.get_command(None, name)), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_written_as_a_command_is_one(page):
    """`memd word --option` in a text names a command and its options."""
    for words in re.findall(r"`memd ([^`]+)`", page.read_text("utf-8")):
        name, *rest = words.split()
        if name.startswith("-"):
            continue
        assert name in COMMANDS, words
        named = {word.strip("[]") for word in rest if word.lstrip("[").startswith("--")}
        assert named <= options(cli.get_command(None, name)) | {"--help"}, words


def test_every_setting_is_explained_and_the_first_example_holds_the_defaults(tmp_path):
    """docs/configuration.md: all defaults in one block, then each setting with an example that changes that one alone."""
    blocks = [(at, content) for at, language, content in fences(CONFIGURATION) if language == "toml"]
    defaults = {setting.key: setting.value for setting in config.settings(config.Config())}
    (_, first), *examples = blocks
    assert _read(tmp_path, first) == defaults
    named = re.findall(r"^(?:# )?([\w.]+)(?= |$)", first, re.MULTILINE)
    assert named == list(defaults)
    assert sorted(at for at, _ in examples) == sorted(defaults)
    for key, content in examples:
        assert [name for name, value in _read(tmp_path, content).items() if value != defaults[name]] == [key]


def test_the_settings_in_readme_are_read(tmp_path):
    """README's few are accepted, and each does something."""
    (block,) = [content for _, language, content in fences(README, "Configuration") if language == "toml"]
    defaults = {setting.key: setting.value for setting in config.settings(config.Config())}
    changed = [name for name, value in _read(tmp_path, block).items() if value != defaults[name]]
    assert len(changed) == len(block.splitlines())


def _read(folder, text):
    (folder / "config.toml").write_text(text, "utf-8")
    return {setting.key: setting.value for setting in config.settings(config.read(folder / "config.toml"))}


def test_no_setting_does_nothing():
    """Code reads each of them."""
    sources = [path for path in (ROOT / "memd").rglob("*.py") if path.name != "config.py"]
    code = "\n".join(path.read_text("utf-8") for path in sources)
    keys = [setting.key for setting in config.settings(config.Config())]
    assert [key for key in keys if not re.search(rf"(config|settings|chosen)\.{re.escape(key)}\b", code)] == []


def test_every_variable_is_named():
    """docs/configuration.md has the variables that memd reads."""
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "memd").rglob("*.py"))
    read = set(re.findall(r"\"(MEMD_[A-Z_]+|CLAUDE_CONFIG_DIR|CODEX_HOME|OPENCODE_DB)\"", code))
    named = {name for row in cells(section(CONFIGURATION, "Variables")) for name in re.findall(r"`(\w+)`", row[0])}
    assert {"MEMD_STATE_DIR", "MEMD_CONFIG", "MEMD_SOCKET", "CODEX_HOME"} <= read <= named


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent == ROOT / "docs"], ids=lambda page: page.name)
def test_every_page_is_in_the_index(page):
    """docs/README.md leads to each page beside it."""
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    assert page.name == "README.md" or f"]({page.name})" in index


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shell_examples_are_commands(page):
    """Each line of a shell example parses; what calls memd names a command with options that it has."""
    for _, language, content in fences(page.read_text("utf-8")):
        if language != "sh":
            continue
        subprocess.run(["bash", "-n", "-c", content], check=True)
        for call in re.findall(r"(?:^|[\s/])memd ([a-z][^|&;})#\n]*)", content):
            name, *rest = call.split()
            assert name in COMMANDS, call
            assert {word for word in rest if word.startswith("--")} <= options(cli.get_command(None, name)), call


def anchors(page):
    heads = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    """Every link within the repository names a file that is there, and a heading in it."""
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text("utf-8")):
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


# Reasons and rooms.


def codes(path, name):
    """The first arguments of all calls of `name` in a module: strings, and prefixes of composed ones."""
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    firsts = [call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == name and call.args]
    whole = {first.value for first in firsts if isinstance(first, ast.Constant)}
    starts = {first.values[0].value for first in firsts if isinstance(first, ast.JoinedStr)}
    assert len(firsts) == len([f for f in firsts if isinstance(f, ast.Constant | ast.JoinedStr)])
    return whole, starts


@pytest.mark.parametrize(
    ("module", "name", "heading"),
    [
        ("memd/health/verdict.py", "Reason", "Reasons of memd status"),
        ("memd/daemon/setup/findings.py", "Finding", "Findings of memd doctor"),
    ],
)
def test_every_code_has_a_heading(module, name, heading):
    """What status and doctor can say is explained; nothing is explained that they cannot say."""
    explained = set(re.findall(r"^### (\S+)$", section(REASONS, heading), re.MULTILINE))
    whole, starts = codes(ROOT / module, name)
    assert whole <= explained
    assert {code for code in explained if not code.startswith(tuple(starts))} == whole - {
        c for c in whole if c.startswith(tuple(starts))
    }


def test_every_fault_of_hooks_has_a_heading():
    """The composed codes: those of an agent's hooks, of the hook's copy and of its interpreter."""
    heads = set(re.findall(r"^### (\S+)$", REASONS, re.MULTILINE))
    assert {f"hooks-{fault}" for fault in verdict._HOOKS} == {head for head in heads if head.startswith("hooks-")}
    assert {"hook-missing", "hook-differs", "interpreter-missing", "interpreter-broken"} <= heads


def test_every_reason_is_reached_from_a_symptom():
    """docs/troubleshooting.md leads to each reason of `memd status`."""
    text = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
    reasons = re.findall(r"^### (\S+)$", section(REASONS, "Reasons of memd status"), re.MULTILINE)
    assert [code for code in reasons if f"](reasons.md#{code})" not in text] == []


def test_every_channel_and_grade_is_explained():
    """docs/provenance.md has each of them in its tables, and no other."""
    text = section((ROOT / "docs" / "provenance.md").read_text("utf-8"), "Channels")
    named = {name for row in cells(text) for name in re.findall(r"`([\w.]+)`", row[0])}
    assert named == {*Channel, *Grade}


def test_the_rooms_are_those_that_are_checked():
    """docs/architecture.md has import-linter's layers in their order, and each is there."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = settings["contracts"][0]["layers"]
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = [row[0] for row in cells(section(text, "Rooms"))]
    assert [" | ".join(sorted(re.findall(r"`(\w+)`", row))) for row in rows] == [
        " | ".join(sorted(layer.split(" | "))) for layer in layers
    ]
    for room in re.findall(r"`(\w+)`", " ".join(rows)):
        assert (ROOT / "memd" / room).is_dir() or (ROOT / "memd" / f"{room}.py").is_file()


def test_the_page_on_tools_has_every_member_and_no_other():
    """docs/adding-a-tool.md names each member of `Tool` in one of its groups."""
    text = (ROOT / "docs" / "adding-a-tool.md").read_text("utf-8")
    named = [name for row in cells(section(text, "What a tool must offer")) for name in re.findall(r"`(\w+)`", row[1])]
    assert sorted(named) == sorted(name for name in {*vars(Tool), *Tool.__annotations__} if not name.startswith("_"))


@pytest.mark.parametrize(
    ("heading", "module"),
    [("A tool that is only read", "tests/tools/chatlog.py"), ("The registry", "memd/tools/registry.py")],
)
def test_what_the_page_on_tools_quotes_stands_there(heading, module):
    """The code on docs/adding-a-tool.md is that of the modules that it names."""
    text = (ROOT / "docs" / "adding-a-tool.md").read_text("utf-8")
    (block,) = [content for _, _, content in fences(text, heading)]
    assert block in (ROOT / module).read_text("utf-8")


def test_paths_in_the_documents_exist():
    """A path of the repository that a text names is there."""
    for page in PAGES:
        for name in re.findall(
            r"`((?:memd|hooks|tests|docs|benchmarks|daemon|store)/[\w/.-]+)`", page.read_text("utf-8")
        ):
            places = [ROOT / name, ROOT / "memd" / name, ROOT / "memd" / f"{name}.py"]
            assert any(place.exists() for place in places), f"{page.name}: {name}"


def test_the_page_on_reliability_names_tests_that_there_are():
    """Each `file.py::test` on docs/reliability.md is a test."""
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", (ROOT / "docs" / "reliability.md").read_text("utf-8"))
    paths = list((ROOT / "tests").rglob("test_*.py"))
    there = {(path.name, test) for path in paths for test in re.findall(r"def (test_\w+)\(", path.read_text("utf-8"))}
    assert len(named) > 100
    assert [f"{file}::{test}" for file, test in named if (file, test) not in there] == []
