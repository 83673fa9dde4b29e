"""memd in the shape that `compaction-conformance-kit` measures: turns in, the text that is given back out.

Each round goes through a transcript, `memd ingest` and `memd show`. The first round of a session writes its turns as the client
would; a later one gets what the round before gave back, as one turn, and writes a compaction and that text as what a hook
brought. Nothing is kept here from round to round: what memd knows in the second is in its record, as in a long session.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

from compaction_kit.compacted import CompactedContext
from transcript import Transcript


class Memd:
    """A compactor with a home of its own: `its `projects` has the transcripts, its `state` the record."""

    name = "memd-extractive"

    def __init__(self, folder=None):
        self._folder = Path(folder or tempfile.mkdtemp(prefix="memd-"))
        if folder is None:  # the kit's own command gives none
            atexit.register(shutil.rmtree, self._folder)

    def compact(self, turns, round_num=1, budget_chars=None):
        if round_num == 1:
            path = self._folder / "projects" / "-srv-work" / f"{uuid.uuid4()}.jsonl"
            self._write(Transcript(path), turns)
        else:
            path = max(self._folder.glob("projects/*/*.jsonl"), key=lambda file: file.stat().st_mtime_ns)
            after = Transcript(path).now()
            after.compacts(summary="The session was compacted.")
            after.injected("\n".join(turn.text for turn in turns))
        self._memd("ingest", str(path), "--tool", "claude-code")
        return CompactedContext(self._shown(path.stem, budget_chars), self.name, round_num)

    @staticmethod
    def _write(transcript, turns):
        for turn in turns:
            match turn.role:
                case "user":
                    transcript.typed(turn.text)
                case "assistant":
                    transcript.says(turn.text)
                case _:
                    message = {"role": "user", "content": turn.text}
                    transcript.row(type="user", isMeta=True, message=message)

    def _shown(self, session, budget_chars):
        """The checkpoint; within a budget of characters the largest that fits, since memd counts tokens."""
        if budget_chars is None:
            return self._memd("show", session, "checkpoint")
        fits, over, text = budget_chars // 4, budget_chars // 3, ""
        for _ in range(6):
            tokens = (fits + over) // 2
            tried = self._memd("show", session, "checkpoint", "--tokens", str(tokens))
            fits, over, text = (tokens, over, tried) if len(tried) <= budget_chars else (fits, tokens, text)
        return text

    def _memd(self, *words):
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "MEMD_STATE_DIR": str(self._folder / "state"),
            "MEMD_CONFIG": str(self._folder / "none.toml"),
        }
        command = [sys.executable, "-m", "memd", *words]
        done = subprocess.run(command, env=environ, cwd=self._folder, capture_output=True, text=True, check=True)
        return done.stdout.removesuffix("\n")
