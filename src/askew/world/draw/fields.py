"""Sports fields."""

from __future__ import annotations

from askew.world.draw.canvas import Canvas
from askew.world.draw.palette import Rgb


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
