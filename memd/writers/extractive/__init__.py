"""The default writer: mind and scene from structure alone, no model, no network, no cost.

It states what the record shows and nothing else. Whose words something rests on stands behind it as `(#n)`; what memd
itself read off the record ends in `(own judgement)`.
"""

from memd.extract.material import Material
from memd.writers.extractive.mind import mind
from memd.writers.extractive.scene import scene

__all__ = ["Extractive"]


class Extractive:
    """The writer of `checkpoint.Writer`'s shape."""

    name = "extractive"

    def write(self, material: Material) -> tuple[str, str]:
        """The texts of mind.md and scene.md."""
        return mind(material), scene(material)
