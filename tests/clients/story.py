"""The piece of work that every scenario tells: what the person wants, and what the model does about it."""

from pathlib import Path

from .scripted_model import Tool, Turn

MISSION = 'Make the gateway survive slow upstreams; the target is "no 504 for a week" — naïve retries are not enough.'
CONSTRAINT = "Do not touch the schema in schema.sql, the fixtures depend on it."
ORDER = "Raise the request timeout as far as the load balancer allows."
VALUE = "47.5"  # chosen by the model: the person never says it
OLD, NEW = "request_timeout = 30.0", f"request_timeout = {VALUE}"
FULL = 90_000  # tokens: over the threshold of a window of 100,000, under the window
WINDOW = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}


def gateway(project: Path) -> Path:
    """The files to work on; the one that the model edits."""
    (project / "schema.sql").write_text("create table upstream (id integer primary key);\n", encoding="utf-8")
    config = project / "gateway.toml"
    config.write_text(f"{OLD}\nretries = 3\n", encoding="utf-8")
    return config


def shell(command: str, *, tokens: int | None = None, background: bool = False, about: str = "Run a command") -> Turn:
    """The model runs a command."""
    arguments = {"command": command, "description": about, "run_in_background": background}
    return Turn(tools=(Tool("Bash", arguments),), tokens=tokens)


def edit(config: Path) -> list[Turn]:
    """The model reads the file and sets the value."""
    return [
        Turn("Reading the settings.", (Tool("Read", {"file_path": str(config)}),)),
        Turn(tools=(Tool("Edit", {"file_path": str(config), "old_string": OLD, "new_string": NEW}),)),
    ]
