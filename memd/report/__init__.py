"""How well continuity held: what was needed after compactions and stood in what was given back, and what broke. Pure.

`past` is a session looked back upon, `needs` the measure of coverage, `breaks` with `stated` the calls that break continuity,
`told` what all of it comes to. docs/continuity.md has each definition in words, exact enough to be computed by somebody else.
"""
