"""Installing: what memd puts on a machine, how it is taken away again, and whether it is still as it should be.

    hook       the hook's copy and the link to the interpreter, in memd's data folder (the daemon re-points both)
    ledger     what was written where, with the bytes and modes from before: the only memory of an installation
    settings   a tool's settings file, changed and given back
    own        memd's own settings file: answers to questions, and what `memd config` writes; `toml` edits the text
    service    the unit of the service manager; `systemd` and `launchd` know their own
    installation, removal    the order in which all of it is put in and taken out
    proof      the installed hook, run once
    standing   what stands between a checkpoint and an agent, for `memd status` and the status line
    facts      the same and all else looked at, for `memd doctor`
    findings   what is wrong with that, and the command that mends it
    repair     what can be mended without asking

Nothing here asks or prints: the commands do.
"""
