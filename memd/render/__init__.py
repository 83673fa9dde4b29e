"""From a checkpoint and a budget to the text that is given back, and to the parts that a tool's hooks can carry. Pure."""

from memd.render.compose import compose, short
from memd.render.content import FIRST, RELATIVE, Content, Earlier, Entry, Rendered, cited, images_of
from memd.render.parts import Limits
from memd.render.sizing import Sizer

__all__ = [
    "FIRST",
    "RELATIVE",
    "Content",
    "Earlier",
    "Entry",
    "Limits",
    "Rendered",
    "Sizer",
    "cited",
    "compose",
    "images_of",
    "short",
]
