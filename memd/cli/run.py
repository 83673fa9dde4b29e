"""`memd run`: the daemon in the foreground."""

import os

import click


@click.command("run")
def command() -> None:
    """Run the daemon in the foreground; systemd and launchd start this.

    SIGTERM ends it cleanly, SIGHUP reads the settings again.
    """
    from memd.daemon import loop  # noqa: PLC0415 - nothing else needs it

    loop.run(os.environ)
