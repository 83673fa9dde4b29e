"""Paths that others name, in rows and in hooks: which of them can be one at all. Pure."""

LONGEST, NAME = 4_096, 255
"""Bytes of a path and of one name in it: the limits of Linux; macOS has less."""


def possible(path: str) -> bool:
    r"""Whether a path can be that of a file or directory; what is longer, or no bytes of a file name, cannot.

    >>> possible("/home/me/work"), possible("/home/me\0"), possible("/" + "x" * 300), possible("/a" * 3_000)
    (True, False, False, False)
    """
    try:
        whole = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return b"\0" not in whole and len(whole) < LONGEST and all(len(name) <= NAME for name in whole.split(b"/"))
