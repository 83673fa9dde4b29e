"""`memd init`: give a project its `.agent/`."""

import os

import click


@click.command("init")
@click.argument("directory", required=False)
@click.option("--in-repo", is_flag=True, help="Keep journal, anchors and state there too, behind a .gitignore.")
def command(directory: str | None, *, in_repo: bool) -> None:
    """Make `.agent/` for constraints, facts and engram, in DIRECTORY or the top of the work tree.

    Nothing that is there is changed. What the daemon keeps stays in memd's own state, unless --in-repo says otherwise.
    """
    from memd.cli.common import say  # noqa: PLC0415 - a command loads what it needs when it runs
    from memd.config import paths  # noqa: PLC0415
    from memd.daemon.setup import project  # noqa: PLC0415
    from memd.model.text import named  # noqa: PLC0415

    made = project.init(paths(os.environ).state, project.place(directory), in_repo=in_repo)
    for path in made.created:
        say(f"made {named(str(path))}")
    if not made.created:
        say(f"{named(str(made.root))}/.agent is there already; nothing was changed")
    say("Write what must always hold into .agent/constraints.md, one list entry each, and commit the folder.")
