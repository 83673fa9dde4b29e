#!/bin/sh
# Runs memd's hook for EVENT [PART] from where `memd run` and `memd install` put it; does nothing where memd is not.
for data in "${XDG_DATA_HOME:-$HOME/.local/share}/memd" "$HOME/Library/Application Support/memd"; do
    if [ -x "$data/bin/python3" ] && [ -f "$data/memd_hook.py" ]; then
        exec "$data/bin/python3" -I -S "$data/memd_hook.py" claude-code "$@"
    fi
done
