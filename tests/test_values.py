"""Values are msgspec's, which mypy takes for dataclasses where they are none: what only fails when it runs is looked for here."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(path for room in ("memd", "tests", "benchmarks") for path in (ROOT / room).rglob("*.py"))
HELPERS = {"replace", "asdict", "astuple", "fields", "is_dataclass"}
"""What `dataclasses` has for its own alone; a Struct has them in `msgspec.structs`."""
DATACLASSES = {
    "memd/config.py": "settings",
    "memd/daemon/socket.py": "wire.Request",
    "benchmarks/home.py": "its own",
    "tests/clients/test_claude_background.py": "scripted_model.Turn",
    "tests/clients/test_claude_compaction.py": "scripted_model.Turn",
    "tests/clients/test_claude_writer_faults.py": "settings",
    "tests/clients/test_codex_compaction.py": "scripted_model.Turn",
    "tests/clients/test_opencode_compaction.py": "scripted_model.Turn",
    "tests/daemon/setup/test_own_settings.py": "settings",
    "tests/daemon/setup/test_service.py": "config.Paths",
    "tests/daemon/test_desk.py": "settings",
    "tests/daemon/test_writing.py": "settings",
    "tests/tools/test_contract.py": "config.Paths",
}
"""The modules that use them, and of what."""


def imports(tree):
    """What a module takes from `dataclasses`; all of it where it imports the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.Import) and "dataclasses" in {one.name for one in node.names}:
            yield from HELPERS


@pytest.fixture(scope="module")
def trees():
    """Of the modules that can be concerned: to parse all takes seconds."""
    texts = ((path.relative_to(ROOT).as_posix(), path.read_text("utf-8")) for path in MODULES)
    return {name: ast.parse(text) for name, text in texts if "dataclasses" in text or "cached_property" in text}


def test_helpers_of_dataclasses_are_used_on_dataclasses(trees):
    """`dataclasses.replace` on a Struct passes mypy and raises when it runs: who imports it says for what."""
    assert sorted(DATACLASSES) == sorted(name for name, tree in trees.items() if HELPERS & set(imports(tree)))


def test_a_struct_with_cached_properties_has_a_place_for_them(trees):
    """Without `dict=True` the property raises when it is asked for, and not before."""
    without = [
        f"{name}: {one.name}"
        for name, tree in trees.items()
        for one in ast.walk(tree)
        if isinstance(one, ast.ClassDef) and "Struct" in {ast.unparse(base) for base in one.bases}
        if "cached_property" in {ast.unparse(word) for node in one.body for word in getattr(node, "decorator_list", [])}
        if "dict" not in {word.arg for word in one.keywords}
    ]
    assert without == []
