"""memd keeps a coding agent's mission, the person's words and the working state across context compactions."""

__version__ = "0.1.0"
