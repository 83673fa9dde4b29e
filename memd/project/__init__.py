"""What a session works on: the work tree, git's files and `.agent/`, looked at and never changed.

`identity` says which project a directory belongs to, `paths` what a path is as seen from its root. The rest checks what is
remembered against what is really there.
"""
