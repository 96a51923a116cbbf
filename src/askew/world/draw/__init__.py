"""Pictures of scenes. Everything in the scene is seen, and nothing is seen that could be asked for and is not in it."""

from askew.world.draw.draw_scene import draw

__all__ = ["draw"]
