"""Files that are shipped beside the code, to be copied by `memd install` (the hook, the service units) or to be read.

A wheel has them inside the package, under `_assets/<kind>/` (pyproject: force-include); an editable install has them
where people look for them, in the repository's own folders. Nothing else is searched: a `hooks/` beside the package in
site-packages is another's.
"""

from pathlib import Path
from typing import Literal

from memd.errors import NotFound

Kind = Literal["hooks", "systemd", "launchd", "requests", "docs"]

_PACKAGE = Path(__file__).parent


def path(kind: Kind, name: str) -> Path:
    """Where the shipped file (or folder) is; `name` may have slashes.

    Raises:
        NotFound: the installation is not whole.
    """
    places = [_PACKAGE / "_assets" / kind / name]
    if (_PACKAGE.parent / "pyproject.toml").is_file():
        places.append(_PACKAGE.parent / kind / name)
    for place in places:
        if place.exists():
            return place
    raise NotFound(f"memd's own file {kind}/{name} is missing from this installation ({places[0]}): reinstall memd")


def read(kind: Kind, name: str) -> bytes:
    """The content of the shipped file.

    Raises:
        NotFound: the installation is not whole.
    """
    return path(kind, name).read_bytes()
