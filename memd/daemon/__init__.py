"""The daemon: wiring only. What it decides is decided in the rooms below it."""
