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
    x = c.rng.uniform(0.2, 0.8) * c.width
    y = c.ground + 0.5
    low, wide = c.height, c.rng.choice((-1, 1)) * 0.35 * c.width
    left = [
        (x - 3 * c.unit, y),
        (x + wide * 0.5, y + 0.3 * (low - y)),
        (x + wide * 0.3 - 12 * c.unit, y + 0.6 * (low - y)),
        (x + wide - 26 * c.unit, low),
    ]
    right = [
        (x + wide + 30 * c.unit, low),
        (x + wide * 0.3 + 14 * c.unit, y + 0.6 * (low - y)),
        (x + wide * 0.5 + 10 * c.unit, y + 0.3 * (low - y)),
        (x + 2 * c.unit, y),
    ]
    c.draw.polygon(left + right, fill=c.tone((222, 206, 168)))


def street(c: Canvas) -> None:
    """A row of houses, a pavement and a road."""
    x = -10 * c.unit
    while x < c.width:
        wide, high = c.rng.uniform(22, 44) * c.unit, c.rng.uniform(28, 84) * c.unit
        wall = c.tone(c.rng.choice(((196, 186, 190), (206, 196, 184), (184, 190, 204), (212, 200, 196))))
        c.draw.rectangle((x, c.ground - high, x + wide, c.ground), fill=wall)
        c.draw.rectangle((x, c.ground - high, x + wide, c.ground - high + 4 * c.unit), fill=darker(wall, 0.12))
        for y in range(round(c.ground - high + 14 * c.unit), c.ground - round(6 * c.unit), round(13 * c.unit)):
            c.draw.line(
                [(x + 3 * c.unit, y), (x + wide - 3 * c.unit, y)], fill=darker(wall, 0.07), width=round(2.5 * c.unit)
            )
        x += wide + c.rng.choice((0, 0, 5 * c.unit))
    kerb = c.ground + 0.13 * c.height
    c.area(c.ground, kerb, (206, 202, 198), (214, 210, 204))
    for k in range(9):
        c.draw.line(
            [(c.width * k / 8, c.ground), (c.width * (k * 1.3 - 1.2) / 8, kerb)],
            fill=c.tone((190, 186, 184)),
            width=round(c.unit),
        )
    c.area(kerb, kerb + 3 * c.unit, (176, 172, 172), (160, 156, 160))
    c.area(kerb + 3 * c.unit, c.height, (122, 124, 134), (104, 106, 118))
    middle = (kerb + c.height) / 2 + 6 * c.unit
    for k in range(-1, 6):
        left = (k + 0.2) * c.width / 5
        c.draw.polygon(
            [
                (left, middle),
                (left + 0.11 * c.width, middle),
                (left + 0.10 * c.width, middle + 4 * c.unit),
                (left - 0.02 * c.width, middle + 4 * c.unit),
            ],
            fill=c.tone((236, 232, 216)),
        )


def beach(c: Canvas) -> None:
    """Sea, shore and sand."""
    water = places()["beach"].water
    assert water is not None
    top = water[0] * c.height
    c.area(top, c.ground + 4 * c.unit, (70, 150, 196), (126, 200, 214))
    _waves(c, top, c.ground, 14)
    c.area(c.ground, c.height, (244, 222, 174), (232, 204, 150))
    shore = [(c.width * k / 20, c.ground + 3 * c.unit * sin(k * 0.9 + c.rng.random())) for k in range(21)]
    c.draw.polygon([(0, c.ground - 5 * c.unit), *shore, (c.width, c.ground - 5 * c.unit)], fill=c.tone((126, 200, 214)))
    c.draw.line(shore, fill=c.tone((248, 252, 252)), width=round(3 * c.unit), joint="curve")
    c.flecks(40, c.ground + 8 * c.unit, (222, 192, 138), 1.2, 0.7)


def _waves(c: Canvas, top: float, bottom: float, count: int) -> None:
    ink = (*lighter(c.tone((150, 206, 224)), 0.3), 170)
    for _ in range(count):
        depth = c.rng.random()
        y, x, long = top + (bottom - top) * depth, c.rng.uniform(0, c.width), c.unit * (5 + 16 * depth)
        c.draw.line(
            [(x - long, y), (x - long / 2, y - 0.8 * c.unit), (x, y), (x + long / 2, y - 0.8 * c.unit), (x + long, y)],
            fill=ink,
            width=max(1, round(c.unit * (0.6 + 0.8 * depth))),
        )


def farm(c: Canvas) -> None:
    """Rolling fields with hay."""
    c.hills(c.ground, 40 * c.unit, (170, 196, 144))
    c.hills(c.ground, 22 * c.unit, (196, 196, 120), 4)
    _grass(c, (176, 196, 108), (134, 172, 84))
    for k in range(3):
        x, y = c.width * (0.12 + 0.34 * k + c.rng.uniform(0, 0.12)), c.ground + c.unit * c.rng.uniform(1, 4)
        bale = c.tone((222, 188, 104))
        c.draw.ellipse((x - 8 * c.unit, y - 9 * c.unit, x + 8 * c.unit, y + 3 * c.unit), fill=bale)
        c.draw.arc(
            (x - 5 * c.unit, y - 7 * c.unit, x + 5 * c.unit, y + c.unit),
            0,
            300,
            fill=darker(bale, 0.2),
            width=round(c.unit),
        )


def savanna(c: Canvas) -> None:
    """Dry grass under far hills."""
    c.hills(c.ground, 30 * c.unit, (202, 178, 160), 2)
    c.hills(c.ground, 14 * c.unit, (206, 184, 120), 4)
    c.area(c.ground, c.height, (228, 204, 128), (206, 172, 92))
    c.tufts(46, c.ground + 5 * c.unit, (174, 142, 70))


def lake(c: Canvas) -> None:
    """Water between hills and a green bank."""
    water = places()["lake"].water
    assert water is not None
    top = water[0] * c.height
    c.hills(top, 34 * c.unit, (142, 172, 176), 2)
    c.hills(top, 16 * c.unit, (112, 156, 124), 4)
    c.area(top, c.ground + 6 * c.unit, (132, 190, 208), (66, 138, 176))
    _waves(c, top + 4 * c.unit, c.ground, 26)
    bank = [(c.width * k / 16, c.ground + 4 * c.unit * sin(k * 0.8 + c.rng.random() * 0.6)) for k in range(17)]
    c.area(c.ground + 6 * c.unit, c.height, (140, 178, 100), (112, 156, 80))
    c.draw.polygon([*bank, (c.width, c.ground + 8 * c.unit), (0, c.ground + 8 * c.unit)], fill=c.tone((140, 178, 100)))
    c.draw.line(bank, fill=c.tone((214, 196, 150)), width=round(3 * c.unit), joint="curve")
    c.tufts(18, c.ground + 8 * c.unit, (92, 134, 66))


def station(c: Canvas) -> None:
    """A platform under a roof, with rails where trains stand."""
    c.area(c.ground - 44 * c.unit, c.ground, (204, 196, 190), (194, 186, 182))
    for k in range(7):
        x = c.width * (k + 0.5) / 7
        c.draw.rectangle(
            (x - 2 * c.unit, c.ground - 44 * c.unit, x + 2 * c.unit, c.ground), fill=c.tone((176, 168, 168))
        )
    c.draw.rectangle((0, c.ground - 52 * c.unit, c.width, c.ground - 42 * c.unit), fill=c.tone((120, 134, 150)))
    c.area(c.ground, c.height, (198, 192, 186), (184, 176, 170))
    for k in range(1, 7):
        y = c.ground + (c.height - c.ground) * (k / 6) ** 1.5
        c.draw.line([(0, y), (c.width, y)], fill=c.tone((176, 168, 164)), width=round(c.unit))
    for k in range(-4, 13):
        c.draw.line(
            [(c.width * (0.5 + (k - 4) * 0.08), c.ground), (c.width * (0.5 + (k - 4) * 0.18), c.height)],
            fill=c.tone((176, 168, 164)),
            width=round(c.unit),
        )
    for thing in c.scene.things:
        if thing.name == "train":
            _rails(c, (box_of(thing)[1] + box_of(thing)[3]) * c.height / (c.scene.size or (224, 224))[1])


def _rails(c: Canvas, y: float) -> None:
    c.draw.rectangle((0, y - 8 * c.unit, c.width, y + 5 * c.unit), fill=c.tone((158, 148, 142)))
    for k in range(20):
        x = c.width * k / 19
        c.draw.polygon(
            [
                (x, y - 6 * c.unit),
                (x + 4 * c.unit, y - 6 * c.unit),
                (x + 2 * c.unit, y + 4 * c.unit),
                (x - 3 * c.unit, y + 4 * c.unit),
            ],
            fill=c.tone((120, 92, 72)),
        )
    for dy in (-4.5, 1.0):
        c.draw.line(
            [(0, y + dy * c.unit), (c.width, y + dy * c.unit)], fill=c.tone((96, 98, 108)), width=round(1.8 * c.unit)
        )


def open_sky(c: Canvas) -> None:
    """Sky over low hills."""
    c.hills(c.height, 26 * c.unit, (150, 182, 150), 2)
    c.hills(c.height, 14 * c.unit, (122, 166, 112), 4)


def sports_field(c: Canvas) -> None:
    """A field marked for its sport: goal, hoop or net."""
    sport = c.scene.facts["sport"]
    c.area(c.ground - 26 * c.unit, c.ground, (186, 190, 200), (170, 174, 186))
    for k in range(4):
        y = c.ground - 24 * c.unit + k * 6 * c.unit
        c.draw.line([(0, y), (c.width, y)], fill=c.tone((150, 156, 172)), width=round(2 * c.unit))
    c.area(c.ground - 5 * c.unit, c.ground, (66, 110, 90), (60, 100, 84))
    line = c.tone((246, 246, 240))
    thick = round(1.8 * c.unit)
    if sport == "basketball":
        c.area(c.ground, c.height, (222, 164, 104), (204, 142, 84))
        c.draw.ellipse(
            (0.2 * c.width, c.ground + 0.16 * c.height, 0.8 * c.width, c.ground + 0.44 * c.height),
            outline=line,
            width=thick,
        )
        _hoop(c)
    else:
        turf: tuple[Rgb, Rgb] = (
            ((124, 182, 98), (100, 160, 80)) if sport == "soccer" else ((88, 150, 150), (70, 130, 134))
        )
        c.area(c.ground, c.height, *turf)
        if sport == "soccer":
            for k in range(0, 10, 2):
                near, far = (k - 2) * c.width / 6, c.width / 2 + (k - 5) * c.width / 14
                c.draw.polygon(
                    [(far, c.ground), (far + c.width / 14, c.ground), (near + c.width / 6, c.height), (near, c.height)],
                    fill=(255, 255, 255, 22),
                )
            _goal(c)
        else:
            _net(c)
    c.draw.line([(0, c.ground + 3 * c.unit), (c.width, c.ground + 3 * c.unit)], fill=line, width=thick)
    c.draw.line([(0.12 * c.width, c.ground + 3 * c.unit), (-0.1 * c.width, c.height)], fill=line, width=thick)
    c.draw.line([(0.88 * c.width, c.ground + 3 * c.unit), (1.1 * c.width, c.height)], fill=line, width=thick)


def _goal(c: Canvas) -> None:
    left, right, top = 0.34 * c.width, 0.66 * c.width, c.ground - 30 * c.unit
    mesh = c.tone((226, 230, 232))
    for k in range(1, 12):
        x = left + (right - left) * k / 12
        c.draw.line([(x, top), (x, c.ground + 2 * c.unit)], fill=(*mesh, 130), width=max(1, round(0.6 * c.unit)))
    for k in range(1, 6):
        y = top + (c.ground - top) * k / 6
        c.draw.line([(left, y), (right, y)], fill=(*mesh, 130), width=max(1, round(0.6 * c.unit)))
    c.draw.line(
        [(left, c.ground + 3 * c.unit), (left, top), (right, top), (right, c.ground + 3 * c.unit)],
        fill=c.tone((252, 252, 250)),
        width=round(3 * c.unit),
        joint="curve",
    )
    c.draw.arc(
        (0.25 * c.width, c.ground - 0.02 * c.height, 0.75 * c.width, c.ground + 0.14 * c.height),
        0,
        180,
        fill=c.tone((246, 246, 240)),
        width=round(1.8 * c.unit),
    )


def _hoop(c: Canvas) -> None:
    x, u = 0.5 * c.width, c.unit
    c.draw.rectangle((x - 1.5 * u, c.ground - 42 * u, x + 1.5 * u, c.ground + 2 * u), fill=c.tone((140, 144, 154)))
    c.draw.rectangle(
        (x - 18 * u, c.ground - 64 * u, x + 18 * u, c.ground - 38 * u),
        fill=c.tone((250, 250, 250)),
        outline=c.tone((190, 70, 60)),
        width=round(1.6 * u),
    )
    c.draw.rectangle(
        (x - 7 * u, c.ground - 54 * u, x + 7 * u, c.ground - 44 * u),
        outline=c.tone((190, 70, 60)),
        width=round(1.2 * u),
    )
    c.draw.ellipse(
        (x - 8 * u, c.ground - 44 * u, x + 8 * u, c.ground - 39 * u),
        outline=c.tone((226, 96, 44)),
        width=round(1.8 * u),
    )
    for k in range(5):
        dx = (k - 2) * 3.4 * u
        c.draw.line(
            [(x + dx, c.ground - 40 * u), (x + dx * 0.6, c.ground - 28 * u)],
            fill=c.tone((244, 244, 244)),
            width=round(u),
        )


def _net(c: Canvas) -> None:
    y, high = c.ground + 0.10 * c.height, 15 * c.unit
    mesh = (*c.tone((240, 240, 240)), 120)
    for k in range(41):
        x = c.width * k / 40
        c.draw.line([(x, y - high), (x, y)], fill=mesh, width=max(1, round(0.5 * c.unit)))
    for k in range(4):
        c.draw.line([(0, y - high * k / 4), (c.width, y - high * k / 4)], fill=mesh, width=max(1, round(0.5 * c.unit)))
    c.draw.line([(0, y - high), (c.width, y - high)], fill=c.tone((250, 250, 250)), width=round(2.4 * c.unit))
