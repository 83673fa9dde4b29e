"""What is imported only when something of it is first asked for.

Half of what memd can do is needed by few of its commands, and a command pays for each module that it imports: `memd status`
reads no transcript, `memd log` installs nothing. Such a module is named twice, once for those who read and check types:

    if TYPE_CHECKING:
        from memd.store import search, writing
    else:
        search, writing = later("memd.store", "search", "writing")

A pattern takes as long as a small module (0.1 ms, a long one 1.4), and many are for what few texts have: `pattern`.
"""

import re
from importlib import import_module
from typing import Any, AnyStr, cast


class Later:
    """Stands for a module, or for a value in one, until then; what was once found is found at once."""

    def __init__(self, module: str, value: str) -> None:
        self.__module, self.__value = module, value

    def __getattr__(self, attribute: str) -> Any:
        module = import_module(self.__module)
        found = getattr(getattr(module, self.__value) if self.__value else module, attribute)
        setattr(self, attribute, found)
        return found


def later(package: str, *names: str) -> tuple[Any, ...]:
    """Modules of a package, each by its name; `module.VALUE` stands for the value in it."""
    split = (name.partition(".") for name in names)
    return tuple(Later(f"{package}.{module}", value) for module, _, value in split)


class _Pattern:
    """Stands for a compiled pattern."""

    def __init__(self, text: str | bytes, flags: re.RegexFlag) -> None:
        self.__text, self.__flags = text, flags

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(re.compile(self.__text, self.__flags), attribute)
        setattr(self, attribute, found)
        return found


def pattern(text: AnyStr, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[AnyStr]:
    """As `re.compile`, when it is first asked for something; `re` itself remembers what is asked for next."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))
