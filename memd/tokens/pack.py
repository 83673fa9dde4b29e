"""`python -m memd.tokens.pack RANKS_FILE` builds `o200k.bin.xz` anew: nobody has to trust a binary in a repository.

RANKS_FILE is `o200k_base.tiktoken`; `memd.tokens.ranks` says where it comes from.
"""

import hashlib
import sys
from pathlib import Path

from memd.tokens.ranks import PACKED, from_tiktoken, pack


def main(ranks_file: str) -> None:
    """Write the packed ranks beside this module, and say which file they were made from."""
    text = Path(ranks_file).read_bytes()
    tokens = from_tiktoken(text)
    PACKED.write_bytes(pack(tokens))
    print(f"{PACKED}: {len(tokens)} tokens from {ranks_file}, sha256 {hashlib.sha256(text).hexdigest()}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m memd.tokens.pack RANKS_FILE")
    main(sys.argv[1])
