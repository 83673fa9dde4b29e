"""Starts the hook beside it from its compiled form: `install` puts this where the tools' settings point to.

A script is compiled anew at each start, a module only when it or the interpreter changed; that is a tenth of a hook's time.
Where the folder cannot be written it is compiled each time, and all is as before.
"""

import posix
import sys

try:
    sys.path.insert(0, __file__.rpartition("/")[0] + "/hook")
    from memd_hook import main

    main(sys.argv[1:])
finally:
    posix._exit(0)  # noqa: SLF001 - also instead of a traceback: the agent goes on, whatever happened here
