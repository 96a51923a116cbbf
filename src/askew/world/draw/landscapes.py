"""Backgrounds of outdoor places."""

from __future__ import annotations

from math import sin

from askew.world.draw.canvas import Canvas
from askew.world.draw.surface import Rgb, darker, lighter
from askew.world.layout import box_of
from askew.world.world_data import places


def _grass(c: Canvas, far: Rgb = (150, 190, 112), near: Rgb = (112, 164, 84)) -> None:
    c.area(c.ground, c.height, far, near)
    if c.scene.facts.get("weather") != "snowy":
        c.tufts(26, c.ground + 8 * c.unit, darker(near, 0.16))


def park(c: Canvas) -> None:
    """Hills, a lawn and a winding path."""
    c.hills(c.ground, 34 * c.unit, (150, 186, 150))
    c.hills(c.ground, 18 * c.unit, (124, 172, 118), 5)
    _grass(c)
    x, y = c.rng.uniform(0.2, 0.8) * c.width, c.ground + 0.5
    wide = c.rng.choice((-1, 1)) * 0.35 * c.width
    right = ((30, 1, 1), (14, 0.3, 0.6), (10, 0.5, 0.3), (2, 0, 0))
    left = ((-3, 0, 0), (0, 0.5, 0.3), (-12, 0.3, 0.6), (-26, 1, 1))
    edges = [(x + wide * part + units * c.unit, y + far * (c.height - y)) for units, part, far in left + right]
    c.shape((222, 206, 168), *edges)


def street(c: Canvas) -> None:
    """A row of houses, a pavement and a road."""
    u, x = c.unit, -10 * c.unit
    while x < c.width:
        wide, high = c.rng.uniform(22, 44) * u, c.rng.uniform(28, 84) * u
        wall = c.tone(c.rng.choice(((196, 186, 190), (206, 196, 184), (184, 190, 204), (212, 200, 196))))
        c.draw.rectangle((x, c.ground - high, x + wide, c.ground), fill=wall)
        c.draw.rectangle((x, c.ground - high, x + wide, c.ground - high + 4 * u), fill=darker(wall, 0.12))
        for y in range(round(c.ground - high + 14 * u), c.ground - round(6 * u), round(13 * u)):
            c.draw.line([(x + 3 * u, y), (x + wide - 3 * u, y)], darker(wall, 0.07), c.thick(2.5))
        x += wide + c.rng.choice((0, 0, 5 * u))
    kerb = c.ground + 0.13 * c.height
    c.area(c.ground, kerb, (206, 202, 198), (214, 210, 204))
    for k in range(9):
        c.line((190, 186, 184), 1, (c.width * k / 8, c.ground), (c.width * (k * 1.3 - 1.2) / 8, kerb))
    c.area(kerb, kerb + 3 * u, (176, 172, 172), (160, 156, 160))
    c.area(kerb + 3 * u, c.height, (122, 124, 134), (104, 106, 118))
    middle = (kerb + c.height) / 2 + 6 * u
    for k in range(-1, 6):
        left = (k + 0.2) * c.width / 5
        front = ((left + 0.10 * c.width, middle + 4 * u), (left - 0.02 * c.width, middle + 4 * u))
        c.shape((236, 232, 216), (left, middle), (left + 0.11 * c.width, middle), *front)


def _water(c: Canvas, place: str) -> float:
    """The top of the water in pixels."""
    water = places()[place].water
    assert water is not None
    return water[0] * c.height


def beach(c: Canvas) -> None:
    """Sea, shore and sand."""
    top = _water(c, "beach")
    c.area(top, c.ground + 4 * c.unit, (70, 150, 196), (126, 200, 214))
    _waves(c, top, c.ground, 14)
    c.area(c.ground, c.height, (244, 222, 174), (232, 204, 150))
    shore = [(c.width * k / 20, c.ground + 3 * c.unit * sin(k * 0.9 + c.rng.random())) for k in range(21)]
    c.shape((126, 200, 214), (0, c.ground - 5 * c.unit), *shore, (c.width, c.ground - 5 * c.unit))
    c.line((248, 252, 252), 3, *shore, joint="curve")
    c.flecks(40, c.ground + 8 * c.unit, (222, 192, 138), 1.2, 0.7)


def _waves(c: Canvas, top: float, bottom: float, count: int) -> None:
    ink = (*lighter(c.tone((150, 206, 224)), 0.3), 170)
    for _ in range(count):
        depth = c.rng.random()
        y, x, long = top + (bottom - top) * depth, c.rng.uniform(0, c.width), c.unit * (5 + 16 * depth)
        crests = [(x + long * k / 2, y - 0.8 * c.unit * (k % 2)) for k in range(-2, 3)]
        c.draw.line(crests, fill=ink, width=c.thick(0.6 + 0.8 * depth))


def farm(c: Canvas) -> None:
    """Rolling fields with hay."""
    u = c.unit
    c.hills(c.ground, 40 * u, (170, 196, 144))
    c.hills(c.ground, 22 * u, (196, 196, 120), 4)
    _grass(c, (176, 196, 108), (134, 172, 84))
    bale = c.tone((222, 188, 104))
    for k in range(3):
        x, y = c.width * (0.12 + 0.34 * k + c.rng.uniform(0, 0.12)), c.ground + u * c.rng.uniform(1, 4)
        c.draw.ellipse((x - 8 * u, y - 9 * u, x + 8 * u, y + 3 * u), fill=bale)
        c.draw.arc((x - 5 * u, y - 7 * u, x + 5 * u, y + u), 0, 300, darker(bale, 0.2), c.thick(1))


def savanna(c: Canvas) -> None:
    """Dry grass under far hills."""
    c.hills(c.ground, 30 * c.unit, (202, 178, 160), 2)
    c.hills(c.ground, 14 * c.unit, (206, 184, 120), 4)
    c.area(c.ground, c.height, (228, 204, 128), (206, 172, 92))
    c.tufts(46, c.ground + 5 * c.unit, (174, 142, 70))


def lake(c: Canvas) -> None:
    """Water between hills and a green bank."""
    top, low = _water(c, "lake"), c.ground + 8 * c.unit
    c.hills(top, 34 * c.unit, (142, 172, 176), 2)
    c.hills(top, 16 * c.unit, (112, 156, 124), 4)
    c.area(top, c.ground + 6 * c.unit, (132, 190, 208), (66, 138, 176))
    _waves(c, top + 4 * c.unit, c.ground, 26)
    bank = [(c.width * k / 16, c.ground + 4 * c.unit * sin(k * 0.8 + c.rng.random() * 0.6)) for k in range(17)]
    c.area(c.ground + 6 * c.unit, c.height, (140, 178, 100), (112, 156, 80))
    c.shape((140, 178, 100), *bank, (c.width, low), (0, low))
    c.line((214, 196, 150), 3, *bank, joint="curve")
    c.tufts(18, low, (92, 134, 66))


def station(c: Canvas) -> None:
    """A platform under a roof, with rails where trains stand."""
    u = c.unit
    c.area(c.ground - 44 * u, c.ground, (204, 196, 190), (194, 186, 182))
    for k in range(7):
        x = c.width * (k + 0.5) / 7
        c.box((176, 168, 168), x - 2 * u, c.ground - 44 * u, x + 2 * u, c.ground)
    c.box((120, 134, 150), 0, c.ground - 52 * u, c.width, c.ground - 42 * u)
    c.area(c.ground, c.height, (198, 192, 186), (184, 176, 170))
    for k in range(1, 7):
        y = c.ground + (c.height - c.ground) * (k / 6) ** 1.5
        c.line((176, 168, 164), 1, (0, y), (c.width, y))
    for k in range(-4, 13):
        far, near = (c.width * (0.5 + (k - 4) * spread) for spread in (0.08, 0.18))
        c.line((176, 168, 164), 1, (far, c.ground), (near, c.height))
    for thing in c.scene.things:
        if thing.name == "train":
            _rails(c, (box_of(thing)[1] + box_of(thing)[3]) * c.height / (c.scene.size or (224, 224))[1])


def _rails(c: Canvas, y: float) -> None:
    u = c.unit
    c.box((158, 148, 142), 0, y - 8 * u, c.width, y + 5 * u)
    for k in range(20):
        x = c.width * k / 19
        c.shape((120, 92, 72), (x, y - 6 * u), (x + 4 * u, y - 6 * u), (x + 2 * u, y + 4 * u), (x - 3 * u, y + 4 * u))
    for dy in (-4.5, 1.0):
        c.line((96, 98, 108), 1.8, (0, y + dy * u), (c.width, y + dy * u))


def open_sky(c: Canvas) -> None:
    """Sky over low hills."""
    c.hills(c.height, 26 * c.unit, (150, 182, 150), 2)
    c.hills(c.height, 14 * c.unit, (122, 166, 112), 4)


def sports_field(c: Canvas) -> None:
    """A field marked for its sport: goal, hoop or net."""
    w, h, g, u = c.width, c.height, c.ground, c.unit
    sport, line = c.scene.facts["sport"], (246, 246, 240)
    c.area(g - 26 * u, g, (186, 190, 200), (170, 174, 186))
    for k in range(4):
        y = g - 24 * u + k * 6 * u
        c.line((150, 156, 172), 2, (0, y), (w, y))
    c.area(g - 5 * u, g, (66, 110, 90), (60, 100, 84))
    if sport == "basketball":
        c.area(g, h, (222, 164, 104), (204, 142, 84))
        c.oval(None, 0.2 * w, g + 0.16 * h, 0.8 * w, g + 0.44 * h, edge=line, units=1.8)
        _hoop(c)
    elif sport == "soccer":
        c.area(g, h, (124, 182, 98), (100, 160, 80))
        for k in range(0, 10, 2):
            near, far = (k - 2) * w / 6, w / 2 + (k - 5) * w / 14
            c.draw.polygon([(far, g), (far + w / 14, g), (near + w / 6, h), (near, h)], fill=(255, 255, 255, 22))
        _goal(c)
    else:
        c.area(g, h, (88, 150, 150), (70, 130, 134))
        _net(c)
    c.line(line, 1.8, (0, g + 3 * u), (w, g + 3 * u))
    c.line(line, 1.8, (0.12 * w, g + 3 * u), (-0.1 * w, h))
    c.line(line, 1.8, (0.88 * w, g + 3 * u), (1.1 * w, h))


def _goal(c: Canvas) -> None:
    w, h, g, u = c.width, c.height, c.ground, c.unit
    left, right, top = 0.34 * w, 0.66 * w, g - 30 * u
    mesh = (226, 230, 232)
    for k in range(1, 12):
        x = left + (right - left) * k / 12
        c.line(mesh, 0.6, (x, top), (x, g + 2 * u), alpha=130)
    for k in range(1, 6):
        y = top + (g - top) * k / 6
        c.line(mesh, 0.6, (left, y), (right, y), alpha=130)
    c.line((252, 252, 250), 3, (left, g + 3 * u), (left, top), (right, top), (right, g + 3 * u), joint="curve")
    area = (0.25 * w, g - 0.02 * h, 0.75 * w, g + 0.14 * h)
    c.draw.arc(area, 0, 180, c.tone((246, 246, 240)), c.thick(1.8))


def _hoop(c: Canvas) -> None:
    x, g, u, red = 0.5 * c.width, c.ground, c.unit, (190, 70, 60)
    c.box((140, 144, 154), x - 1.5 * u, g - 42 * u, x + 1.5 * u, g + 2 * u)
    c.box((250, 250, 250), x - 18 * u, g - 64 * u, x + 18 * u, g - 38 * u, edge=red, units=1.6)
    c.box(None, x - 7 * u, g - 54 * u, x + 7 * u, g - 44 * u, edge=red, units=1.2)
    c.oval(None, x - 8 * u, g - 44 * u, x + 8 * u, g - 39 * u, edge=(226, 96, 44), units=1.8)
    for k in range(5):
        dx = (k - 2) * 3.4 * u
        c.line((244, 244, 244), 1, (x + dx, g - 40 * u), (x + dx * 0.6, g - 28 * u))


def _net(c: Canvas) -> None:
    y, high, mesh = c.ground + 0.10 * c.height, 15 * c.unit, (240, 240, 240)
    for k in range(41):
        x = c.width * k / 40
        c.line(mesh, 0.5, (x, y - high), (x, y), alpha=120)
    for k in range(4):
        c.line(mesh, 0.5, (0, y - high * k / 4), (c.width, y - high * k / 4), alpha=120)
    c.line((250, 250, 250), 2.4, (0, y - high), (c.width, y - high))
