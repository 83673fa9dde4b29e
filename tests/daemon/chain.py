"""The chain inside one process: a worker with its record in a temporary folder, and the answers that hooks get of it."""

import asyncio
import json
import time

from transcript import SESSION, Transcript

from memd import config
from memd.daemon.answers import Answers
from memd.daemon.controls import Controls
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import Pipeline
from memd.daemon.socket import Request
from memd.daemon.troubles import Troubles
from memd.daemon.worker import Worker
from memd.store import Store
from memd.store.folders import Folders
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]


class Chain:
    """What `memd run` wires together, without the socket and the watcher."""

    def __init__(self, folder, settings=None):
        self.folder = folder
        self.config, self.paths = config.load({"MEMD_STATE_DIR": str(folder / "state"), "MEMD_CONFIG": "/nowhere"})
        self.config = settings or self.config
        self.folders = Folders(self.paths.state)
        self.troubles = Troubles()
        self.worker = Worker(
            lambda: Pipeline(self.config, self.paths, strange=self.troubles.tell),
            lambda _: (Urgency.LIVE, 0.0),
            self.troubles.tell,
        )
        self.worker.start()
        self.worker.ready.result(10)
        self.store = Store.open(self.paths.state / "memd.db", readonly=True)
        self.live = []
        self.answers = Answers(self.worker, self.folders, self.config, lambda: self.store, self.live.append)
        self.answers.controls = Controls(self.worker, dict).table()
        self._runner = asyncio.Runner()

    def close(self):
        self.worker.stop()
        self.worker.join(10)
        self.store.close()
        self._runner.close()

    def transcript(self, name=SESSION, **options):
        return Transcript(self.folder / "projects" / "-srv-work" / f"{name}.jsonl", **options)

    def run(self, awaitable):
        return self._runner.run(awaitable)

    def hook(self, event, transcript, *, part=None, entrypoint="cli", **payload):
        """The answer to one hook of the session."""
        payload = {"session_id": transcript.session, "cwd": transcript.cwd, "hook_event_name": event} | payload
        payload.setdefault("transcript_path", str(transcript.path))
        return self.run(self.answers(Request(1, "claude-code", event, part, entrypoint, json.dumps(payload).encode())))

    def answer(self, tool, event, payload, *, part=None):
        """The answer to a hook of any tool with any payload."""
        return self.run(self.answers(Request(1, tool, event, part, "cli", json.dumps(payload).encode())))

    def control(self, name, **payload):
        return json.loads(self.run(self.answers(Request(1, "memd", name, None, None, json.dumps(payload).encode()))))

    def parts(self, transcript, source="compact", count=4):
        """What the hooks of one session start give back, part by part."""
        return [self.hook("SessionStart", transcript, part=k, source=source) for k in range(1, count + 1)]

    def read(self, *transcripts):
        """Have transcripts read and their checkpoints made, as after the watcher's hints."""
        for transcript in transcripts:
            self.worker.hint(CLAUDE, transcript.path)
        self.settle()

    def settle(self):
        """Until the worker has nothing to do and no checkpoint is due."""
        self.run(asyncio.sleep(0.06))  # what is done after the reply
        end = time.monotonic() + 20
        while not self.job(lambda _: not (self.worker.depth() or self.worker.refreshes.plan.sessions)):
            assert time.monotonic() < end, "the worker does not come to rest"
            time.sleep(0.005)

    def job(self, work, urgency=Urgency.BACKFILL):
        return self.worker.submit(urgency, work).result(20)
