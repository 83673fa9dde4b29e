"""`python -m benchmarks.standin FOLDER`: a daemon that only answers hooks, on $MEMD_SOCKET, out of FOLDER.

The real server and the work that the real handler does before it has its text: the payload is parsed as JSON, and the
reply is looked up by session, event, source and part. What it serves differs from what lies ready on disk, so that a
benchmark can tell which of the two a hook gave back.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from memd.daemon.socket import Request, Server


async def main(texts: dict[str, bytes]) -> None:
    async def answer(request: Request) -> bytes | None:
        event = json.loads(request.payload)
        words = [event["session_id"], request.event, event.get("source"), request.part]
        return texts.get(".".join(str(word) for word in words if word is not None))

    server = Server(Path(os.environ["MEMD_SOCKET"]), answer, lambda error: print(repr(error), file=sys.stderr))
    await server.start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main({path.name: path.read_bytes() for path in Path(sys.argv[1]).iterdir()}))
