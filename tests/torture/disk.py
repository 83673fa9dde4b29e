"""What clients, people and power failures do to transcripts, at random: one source for each of the three tools.

Every operation changes the real file or database. Each text that is written is there once in the world, so that a text in
the record tells how often its line was recorded. An operation says before it acts whether it takes something away.
"""

from disk_files import HOUR, Rollouts, Windows
from disk_tables import Rows
from opencode_session import OpenCodeSession
from rollout import Rollout
from transcript import Transcript

__all__ = ["HOUR", "sources"]


def sources(home, chance, epoch):
    """A session of each tool under a home, with ids of their own."""
    native = f"5d1f0c1e-0000-4000-8000-{epoch:012}"
    thread = f"01a22988-7aea-7731-8d65-{epoch:012}"
    claude = Transcript(home / ".claude" / "projects" / "-srv-work" / f"{native}.jsonl")
    codex = Rollout(home / ".codex" / "sessions", thread)
    base = home / ".local" / "share" / "opencode" / "opencode.db"
    opencode = OpenCodeSession(base, f"ses_{epoch:022}")
    return [Windows(claude, chance), Rollouts(codex, chance), Rows(opencode, chance)]
