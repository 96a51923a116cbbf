"""The background of a scene: rooms, landscapes and the weather. Nothing in it could be the subject of a question."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sin
from random import Random

from PIL import Image, ImageDraw

from askew.types import Scene
from askew.world.draw.canvas import Canvas, sky
from askew.world.draw.landscapes import beach, farm, lake, open_sky, park, savanna, sports_field, station, street
from askew.world.draw.surface import Rgb, darker, lighter, tones
from askew.world.layout import ground_line
from askew.world.world_data import places


def _room(c: Canvas, floor: Rgb, paper: str, ground: str) -> None:
    """A room: wall with paper, skirting board, floor of planks, tiles or carpet, and a rug in some."""
    wall = c.rng.choice(tones(c.scene.facts["place"]))
    c.area(0, c.ground, lighter(wall, 0.15), wall)
    step = round(16 * c.unit)
    if paper == "stripes":
        for x in range(0, c.width, step * 2):
            c.box(darker(wall, 0.05), x, 0, x + step, c.ground)
    elif paper == "dots":
        r = 1.6 * c.unit
        for row, y in enumerate(range(step // 2, c.ground, step)):
            for x in range(step // 2 + (row % 2) * step // 2, c.width, step):
                c.oval(darker(wall, 0.08), x - r, y - r, x + r, y + r)
    elif paper == "tiles":
        _tiles(c, 0 if c.scene.facts["place"] == "bathroom" else round(0.5 * c.ground), lighter(wall, 0.4))
    c.area(c.ground, c.height, lighter(floor, 0.12), floor)
    if ground == "planks":
        for k in range(-6, 18):
            far, near = (c.width * (0.5 + (k - 5.5) * spread) for spread in (0.085, 0.17))
            c.line(darker(floor, 0.12), 0.9, (far, c.ground), (near, c.height))
    elif ground == "checks":
        _floor_tiles(c, floor)
    c.box(lighter(wall, 0.55), 0, c.ground - 5 * c.unit, c.width, c.ground)
    c.line(darker(floor, 0.25), 1, (0, c.ground), (c.width, c.ground))
    if ground != "checks" and c.rng.random() < 0.7:
        _rug(c)


def _tiles(c: Canvas, top: int, colour: Rgb) -> None:
    side = round(13 * c.unit)
    c.box(colour, 0, top, c.width, c.ground)
    for x in range(0, c.width, side):
        c.line(darker(colour, 0.09), 0.8, (x, top), (x, c.ground))
    for y in range(top, c.ground, side):
        c.line(darker(colour, 0.09), 0.8, (0, y), (c.width, y))


def _floor_tiles(c: Canvas, floor: Rgb) -> None:
    rows = [c.ground + (c.height - c.ground) * (k / 5) ** 1.35 for k in range(6)]
    for row in range(5):
        for k in range(-8, 20):
            if (row + k) % 2:
                continue
            corners = []
            for y, column in ((rows[row], k), (rows[row], k + 1), (rows[row + 1], k + 1), (rows[row + 1], k)):
                spread = 0.09 + 0.09 * (y - c.ground) / (c.height - c.ground)
                corners.append((c.width * (0.5 + (column - 5.5) * spread), y))
            c.shape(darker(floor, 0.10), *corners)


def _rug(c: Canvas) -> None:
    tone = c.rng.choice(((196, 142, 128), (132, 158, 172), (178, 168, 128), (164, 146, 178), (146, 170, 146)))
    y, x = c.ground + 0.60 * (c.height - c.ground), c.width * c.rng.uniform(0.4, 0.6)
    wide, high = 0.40 * c.width, 0.28 * (c.height - c.ground)
    for a, b, light in ((1.0, 1.0, 0.30), (0.9, 0.86, 0.46), (0.84, 0.78, 0.30)):
        c.oval(lighter(tone, light), x - a * wide, y - b * high, x + a * wide, y + b * high)


def kitchen(c: Canvas) -> None:
    """A tiled wall behind a row of drawers."""
    _room(c, (214, 190, 160), "tiles", "checks")
    u, top, wide = c.unit, c.ground - 34 * c.unit, c.width / 5
    front = c.rng.choice(((196, 206, 200), (214, 196, 170), (190, 200, 212)))
    c.box(front, 0, top, c.width, c.ground)
    c.box(lighter(darker(front, 0.30), 0.25), 0, top - 4 * u, c.width, top)
    for left in (k * wide for k in range(5)):
        for y, high in ((top + 3 * u, 11 * u), (top + 17 * u, 13 * u)):
            c.box(lighter(front, 0.25), left + 3 * u, y, left + wide - 3 * u, y + high)
            middle = left + wide / 2
            c.line(darker(front, 0.4), 1.4, (middle - 5 * u, y + 4 * u), (middle + 5 * u, y + 4 * u))


def living_room(c: Canvas) -> None:
    """Panelling, planks and a rug."""
    _room(c, (192, 152, 112), c.rng.choice(("stripes", "plain")), "planks")
    u, wide, g = c.unit, c.width / 6, c.ground
    panel = tones("living room")[0]
    c.box(lighter(panel, 0.45), 0, g - 32 * u, c.width, g)
    c.box(lighter(panel, 0.65), 0, g - 35 * u, c.width, g - 32 * u)
    for k in range(6):
        frame = (k * wide + 5 * u, g - 27 * u, (k + 1) * wide - 5 * u, g - 7 * u)
        c.box(None, *frame, edge=darker(panel, 0.04), units=1.4)


def bedroom(c: Canvas) -> None:
    """Wallpaper, planks, a line of flags."""
    _room(c, (200, 168, 132), c.rng.choice(("dots", "stripes")), "planks")
    flags = ((226, 150, 140), (150, 186, 204), (236, 208, 140), (166, 196, 150))
    for k in range(12):
        x, y = c.width * (k + 0.5) / 12, c.unit * (5 + 9 * sin(pi * (k + 0.5) / 12))
        c.shape(flags[k % 4], (x - 6 * c.unit, y), (x + 6 * c.unit, y), (x, y + 10 * c.unit))


def bathroom(c: Canvas) -> None:
    """Tiles and a tub."""
    _room(c, (188, 204, 210), "tiles", "checks")
    u, left, top = c.unit, c.rng.uniform(0.0, 0.4) * c.width, c.ground - 30 * c.unit
    c.draw.rounded_rectangle((left, top, left + 110 * u, c.ground + 4 * u), 10 * u, fill=(240, 244, 246))
    c.draw.rounded_rectangle((left - 3 * u, top - 3 * u, left + 113 * u, top + 5 * u), 4 * u, fill=(252, 253, 254))
    c.line((214, 222, 228), 2, (left, top + 7 * u), (left + 110 * u, top + 7 * u))


def office(c: Canvas) -> None:
    """A grey carpet and a board with notes."""
    _room(c, (150, 160, 174), "plain", "carpet")
    for k in range(1, 4):
        x = c.width * k / 4
        c.line((120, 124, 134), 1, (x, 0), (x, c.ground - 5 * c.unit), alpha=60)
    u, left, top = c.unit, c.rng.uniform(0.06, 0.5) * c.width, 0.14 * c.height
    c.box((214, 178, 134), left, top, left + 84 * u, top + 40 * u, edge=(176, 136, 96), units=2)
    for _ in range(5):
        x, y = left + c.rng.uniform(6, 68) * u, top + c.rng.uniform(5, 26) * u
        note = c.rng.choice(((250, 236, 170), (196, 222, 236), (244, 204, 204), (214, 234, 200)))
        c.shape(note, (x, y + 2 * u), (x + 10 * u, y), (x + 11 * u, y + 9 * u), (x + u, y + 11 * u))


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
