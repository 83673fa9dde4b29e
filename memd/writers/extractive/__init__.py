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

    def mind(self, material: Material) -> str:
        """The text of mind.md."""
        return mind(material)

    def scene(self, material: Material, mind: str) -> str:
        """The text of scene.md; its next step leads back to a mission that is active in the mind."""
        return scene(material, mind)
