"""Images of scenes: everything in a scene is visible, and nothing else that a question could ask for."""

from askew.world.draw.draw_scene import draw

__all__ = ["draw"]
