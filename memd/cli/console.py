"""rich's console, and one thing otherwise."""

from rich.console import Console


class Screen(Console):
    """As rich has it; but `memd status | head` ends well, as the other commands do (rich makes it a failure)."""

    def on_broken_pipe(self) -> None:
        """The reader has seen enough: the door knows what to do."""
        self.quiet = True
        raise BrokenPipeError
