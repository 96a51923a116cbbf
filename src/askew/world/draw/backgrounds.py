"""What is behind the things: the place in its light, and rain or snow. Never anything that could be asked for."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from PIL import Image, ImageDraw

from askew.types import Scene
from askew.world.draw.canvas import Canvas, sky
from askew.world.draw.landscapes import beach, farm, lake, open_sky, park, savanna, sports_field, station, street
from askew.world.draw.rooms import bathroom, bedroom, kitchen, living_room, office
from askew.world.layout import ground_line
from askew.world.world_data import places


def background(scene: Scene, size: tuple[int, int]) -> Image.Image:
    """An empty place."""
    image = Image.new("RGB", size)
    place = scene.facts["place"]
    ground = round(ground_line(scene.id, place) * size[1])
    rng = Random(f"{scene.id}:background")
    canvas = Canvas(image, ImageDraw.Draw(image, "RGBA"), ground, min(size) / 224, rng, scene)
    if places()[place].setting == "outdoors":
        water = places()[place].water
        horizon = round(water[0] * size[1]) if water else ground if place != "sky" else size[1]
        sky(image, horizon, scene.facts, rng)
    _PLACES[place](canvas)
    return image


def foreground(image: Image.Image, scene: Scene) -> None:
    """Rain or snow before everything."""
    weather = scene.facts.get("weather")
    if weather not in ("rainy", "snowy"):
        return
    rng = Random(f"{scene.id}:foreground")
    draw, unit = ImageDraw.Draw(image, "RGBA"), min(image.size) / 224
    for _ in range(70 if weather == "rainy" else 60):
        x, y = rng.uniform(0, image.width), rng.uniform(0, image.height)
        if weather == "rainy":
            long = rng.uniform(5, 9) * unit
            draw.line([(x, y), (x - long * 0.3, y + long)], fill=(214, 228, 244, 190), width=max(1, round(0.9 * unit)))
        else:
            r = rng.uniform(0.8, 1.9) * unit
            draw.ellipse((x - r, y - r, x + r, y + r), fill=(255, 255, 255, 235))


_PLACES: dict[str, Callable[[Canvas], None]] = {
    "kitchen": kitchen,
    "living room": living_room,
    "bedroom": bedroom,
    "bathroom": bathroom,
    "office": office,
    "street": street,
    "park": park,
    "beach": beach,
    "farm": farm,
    "savanna": savanna,
    "lake": lake,
    "sports field": sports_field,
    "train station": station,
    "sky": open_sky,
}
