"""From a checkpoint and a budget to the text that is given back, and to the parts that a tool's hooks can carry. Pure."""

from memd.render.compose import compose, short
from memd.render.content import Content, Entry, Rendered
from memd.render.parts import Limits
from memd.render.person import images_of
from memd.render.sizing import Sizer

__all__ = ["Content", "Entry", "Limits", "Rendered", "Sizer", "compose", "images_of", "short"]
