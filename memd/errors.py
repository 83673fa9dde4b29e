"""What can go wrong, as one small tree.

    MemdError                 anything memd raises on purpose; caught once, at the door of the command line
    |- UserError              the person's doing, or not found: one clear line, exit 1
    |  |- ConfigError         a setting that cannot be read or is out of range
    |  |- NotFound            no such session, file, checkpoint or part
    |  |  `- Unwanted         a session that is not to be recorded
    |  |- Ambiguous           a prefix that fits several
    |  `- Refused             memd will not do this (a settings file that is not JSON), and says why
    |     |- RecordNewer      the record is a newer memd's
    |     |- RecordOlder      the record is an older memd's, and who only reads cannot bring it up to date
    |     `- RecordForeign    what stands in the record's place is somebody else's
    `- Fault                  the machine's doing; the work goes on where it can
       |- SourceUnreadable    a transcript that cannot be read now
       |- StoreTrouble        memd's own database is locked, full or damaged
       |  |- RecordDamaged    it is damaged: the daemon sets it aside
       |  `- RecordGone       it was taken away under the daemon, which starts afresh
       `- DaemonSilent        the daemon did not answer in time

A bad record in a transcript is a value (counted, shown), never an exception. A defect is any other exception: exit 3.
"""

import os


class MemdError(Exception):
    """The root: `str(error)` is one line for a person."""


class UserError(MemdError):
    """Something the person can change."""


class ConfigError(UserError):
    """A setting cannot be read or is out of range."""


class NotFound(UserError):
    """No such session, file, checkpoint or part."""


class Unwanted(NotFound):
    """A session that is there and not to be recorded: of an ignored directory, or of none yet."""


class Ambiguous(UserError):
    """A prefix fits more than one session."""


class Refused(UserError):
    """memd will not do this; the message says why and what to do instead."""


class RecordNewer(Refused):
    """A newer memd wrote the record."""


class RecordOlder(Refused):
    """An older memd wrote the record, and no writer has brought it up to date."""


class RecordForeign(Refused):
    """Another program's database, or no file at all, is where the record has to be."""


class Fault(MemdError):
    """The machine is in trouble; what can go on goes on."""


class SourceUnreadable(Fault):
    """A transcript cannot be read now (permission, mount, disk)."""


class StoreTrouble(Fault):
    """memd's own database cannot be used now."""


class RecordDamaged(StoreTrouble):
    """What is in the database's file is none, or not whole."""


class RecordGone(StoreTrouble):
    """The database's file, or the state directory with it, was taken away or replaced while it was open."""


class DaemonSilent(Fault):
    """The daemon did not answer within its deadline."""


def told(error: BaseException) -> str:
    """An error in a line for a person: our own say it themselves, the machine's by their file, a defect with its kind.

    >>> told(PermissionError(13, "Permission denied", "/srv/x"))
    '/srv/x: Permission denied'
    >>> told(OSError(28, "No space left on device"))
    'No space left on device'
    """
    match error:
        case MemdError() | TimeoutError():
            return str(error)
        case OSError(strerror=str(why), filename=str() | bytes() as place):
            return f"{os.fsdecode(place)}: {why}"
        case OSError(strerror=str(why)):
            return why
        case MemoryError():
            return "there is no memory left"
        case ImportError():
            return f"a module cannot be loaded now: {error}"
        case _:
            return f"{type(error).__name__}: {error}"
