"""Dogs, cats, birds, ducks and fish, from the side, facing right; and what all animals share: coats, eyes, legs."""

from __future__ import annotations

from dataclasses import replace

from askew.world.draw.pen import Look, Path, Pen, Point, Sketches, blob, curve, limb, oval, poly
from askew.world.draw.surface import INK, WHITE, Rgb, Surface, brightness, darker, lighter, mix


def coat_of(look: Look) -> Surface:
    """The animal's surface; spots of large animals are patches."""
    if look.surface.pattern != "spotted":
        return look.surface
    other = darker(look.colour, 0.55) if brightness(look.colour) > 0.3 else lighter(look.colour, 0.6)
    return replace(look.surface, pattern="patched", other=other)


def far_legs(pen: Pen, look: Look, legs: tuple[Path, ...]) -> None:
    """The legs on the far side, darker."""
    pen.fill(darker(look.colour, 0.30), *legs, shade=False)


def eye(pen: Pen, spot: Point, radius: float, look: Look) -> None:
    """An eye, with a white ring on dark coats."""
    if brightness(look.colour) < 0.42:
        pen.dot(WHITE, spot, radius * 1.5)
    pen.dot(INK, spot, radius)


def gallop(far: bool, back: float, front: float, top: float, width: float) -> tuple[Path, ...]:
    """Legs at a gallop."""
    if far:
        return (
            limb(width, (back + 0.06, top), (back + 0.16, 0.80), (back + 0.02, 0.95)),
            limb(width, (front - 0.05, top), (front + 0.14, 0.74), (front + 0.10, 0.90)),
        )
    return (
        limb(width, (back, top), (back - 0.05, 0.78), (back - 0.16, 0.93)),
        limb(width, (front, top), (front + 0.10, 0.80), (front + 0.24, 0.93)),
    )


def dog(pen: Pen, look: Look) -> None:
    """A dog with hanging ears, a muzzle and a lifted tail."""
    coat, dark = (
        coat_of(look),
        darker(look.colour, 0.30) if brightness(look.colour) > 0.3 else lighter(look.colour, 0.2),
    )
    if "sitting" in look:
        pen.fill(
            coat,
            curve(0.12, (0.16, 0.90), (0.04, 0.84), (0.03, 0.70)),
            blob((0.16, 0.94), (0.16, 0.66), (0.34, 0.42), (0.56, 0.32), (0.78, 0.40), (0.80, 0.66), (0.74, 0.94)),
            limb(0.15, (0.74, 0.55), (0.76, 0.92)),
            limb(0.15, (0.76, 0.92), (0.84, 0.93)),
            limb(0.15, (0.30, 0.92), (0.50, 0.93)),
            poly((0.46, 0.44), (0.50, 0.14), (0.80, 0.20), (0.80, 0.50)),
        )
        head = (0.40, 0.0, 0.60)
    elif "lying" in look:
        pen.fill(
            coat,
            blob((0.04, 0.90), (0.06, 0.55), (0.26, 0.42), (0.60, 0.46), (0.74, 0.70), (0.72, 0.94), (0.3, 0.97)),
            limb(0.17, (0.60, 0.86), (0.90, 0.90)),
            curve(0.13, (0.08, 0.86), (0.0, 0.80), (0.02, 0.60)),
        )
        head = (0.52, 0.0, 0.48)
    else:
        run = "running" in look
        far = (
            gallop(True, 0.20, 0.60, 0.58, 0.12)
            if run
            else (limb(0.12, (0.32, 0.6), (0.33, 0.94)), limb(0.12, (0.56, 0.6), (0.57, 0.94)))
        )
        far_legs(pen, look, far)
        near = (
            gallop(False, 0.20, 0.60, 0.58, 0.13)
            if run
            else (limb(0.14, (0.20, 0.58), (0.18, 0.76), (0.20, 0.94)), limb(0.14, (0.65, 0.58), (0.66, 0.94)))
        )
        pen.fill(
            coat,
            curve(0.10, (0.14, 0.46), (0.05, 0.34), (0.06, 0.14)),
            blob(
                (0.10, 0.50),
                (0.26, 0.38),
                (0.52, 0.40),
                (0.70, 0.36),
                (0.76, 0.54),
                (0.66, 0.70),
                (0.42, 0.66),
                (0.18, 0.70),
            ),
            poly((0.56, 0.44), (0.66, 0.2), (0.82, 0.3), (0.75, 0.58)),
            *near,
        )
        head = (0.58, 0.0, 0.42)
    _dog_head(pen, look, coat, dark, head)


def _dog_head(pen: Pen, look: Look, coat: Surface, dark: Rgb, place: tuple[float, float, float]) -> None:
    x, y, size = place
    tall = size * pen.width / pen.height

    def p(a: float, b: float) -> Point:
        return x + a * size, y + b * tall

    pen.fill(
        replace(coat, pattern="plain"),
        blob(
            p(0.10, 0.40),
            p(0.22, 0.12),
            p(0.46, 0.04),
            p(0.66, 0.20),
            p(0.94, 0.36),
            p(0.98, 0.58),
            p(0.72, 0.72),
            p(0.40, 0.78),
            p(0.16, 0.66),
        ),
    )
    pen.flat(lighter(look.colour, 0.45), blob(p(0.66, 0.40), p(0.92, 0.42), p(0.95, 0.58), p(0.70, 0.66)))
    pen.fill(
        dark,
        blob(p(0.20, 0.14), p(0.34, 0.12), p(0.36, 0.44), p(0.22, 0.76), p(0.08, 0.66), p(0.06, 0.36)),
        shade=False,
    )
    head = 0.5 * size * pen.width / pen.short
    pen.dot(INK, p(0.93, 0.42), 0.16 * head)
    pen.dot(WHITE, p(0.58, 0.36), 0.13 * head)
    pen.dot(INK, p(0.60, 0.36), 0.10 * head)
    pen.flat(INK, curve(0.05 * head, p(0.90, 0.56), p(0.80, 0.64), p(0.68, 0.62)))


def cat(pen: Pen, look: Look) -> None:
    """A cat with pointed ears, whiskers and a long tail."""
    coat = coat_of(look)
    if "sitting" in look:
        pen.fill(
            coat,
            curve(0.11, (0.22, 0.92), (0.02, 0.88), (0.03, 0.62), (0.12, 0.52)),
            blob(
                (0.18, 0.95),
                (0.16, 0.70),
                (0.34, 0.44),
                (0.56, 0.36),
                (0.80, 0.44),
                (0.82, 0.74),
                (0.78, 0.96),
                (0.5, 0.98),
            ),
            limb(0.13, (0.66, 0.66), (0.68, 0.94)),
        )
        head = (0.36, 0.0, 0.60)
    elif "lying" in look:
        pen.fill(
            coat,
            blob((0.10, 0.94), (0.08, 0.64), (0.26, 0.46), (0.58, 0.46), (0.80, 0.66), (0.84, 0.94), (0.45, 0.99)),
            curve(0.14, (0.12, 0.90), (0.02, 0.80), (0.04, 0.50), (0.10, 0.40)),
            limb(0.15, (0.70, 0.90), (0.92, 0.91)),
        )
        head = (0.56, 0.0, 0.40)
    else:
        far_legs(pen, look, (limb(0.11, (0.34, 0.6), (0.35, 0.95)), limb(0.11, (0.60, 0.6), (0.59, 0.95))))
        pen.fill(
            coat,
            curve(0.09, (0.20, 0.54), (0.05, 0.44), (0.06, 0.20), (0.13, 0.08)),
            blob(
                (0.16, 0.56),
                (0.30, 0.46),
                (0.52, 0.47),
                (0.70, 0.42),
                (0.78, 0.58),
                (0.68, 0.74),
                (0.42, 0.70),
                (0.22, 0.74),
            ),
            limb(0.12, (0.24, 0.62), (0.23, 0.95)),
            limb(0.12, (0.68, 0.62), (0.70, 0.95)),
        )
        head = (0.58, 0.0, 0.42)
    _cat_head(pen, look, head)


def _cat_head(pen: Pen, look: Look, place: tuple[float, float, float]) -> None:
    x, y, size = place
    tall = size * pen.width / pen.height

    def p(a: float, b: float) -> Point:
        return x + a * size, y + b * tall * 0.9

    pen.fill(
        look.colour,
        poly(p(0.06, 0.46), p(0.08, 0.0), p(0.42, 0.22)),
        poly(p(0.94, 0.46), p(0.92, 0.0), p(0.58, 0.22)),
        blob(
            p(0.02, 0.56),
            p(0.14, 0.28),
            p(0.5, 0.18),
            p(0.86, 0.28),
            p(0.98, 0.56),
            p(0.78, 0.86),
            p(0.5, 0.94),
            p(0.22, 0.86),
        ),
    )
    head = 0.5 * size * pen.width / pen.short
    inner = (236, 160, 160)
    pen.flat(
        inner, poly(p(0.13, 0.30), p(0.14, 0.12), p(0.30, 0.24)), poly(p(0.87, 0.30), p(0.86, 0.12), p(0.70, 0.24))
    )
    for side in (0.32, 0.68):
        pen.dot((170, 206, 110), p(side, 0.50), 0.17 * head)
        pen.flat(INK, oval(*p(side - 0.035, 0.42), *p(side + 0.035, 0.58)))
    pen.flat(inner, poly(p(0.44, 0.64), p(0.56, 0.64), p(0.5, 0.71)))
    line = mix(look.colour, INK if brightness(look.colour) > 0.4 else WHITE, 0.6)
    pen.flat(line, curve(0.04 * head, p(0.40, 0.78), p(0.45, 0.80), p(0.5, 0.72), p(0.55, 0.80), p(0.60, 0.78)))
    for a, b in ((0.60, 0.66), (0.70, 0.74)):
        pen.flat(
            line, limb(0.03 * head, p(0.66, a), p(0.92, b - 0.06)), limb(0.03 * head, p(0.34, a), p(0.08, b - 0.06))
        )


BEAK: Rgb = (240, 160, 50)


def bird(pen: Pen, look: Look) -> None:
    """A small round bird; if flying, with spread wings."""
    dark = darker(look.colour, 0.25)
    if "flying" in look:
        pen.fill(dark, blob((0.44, 0.52), (0.36, 0.20), (0.16, 0.0), (0.22, 0.30), (0.34, 0.56)), shade=False)
        pen.fill(
            look.surface,
            poly((0.24, 0.56), (0.0, 0.50), (0.02, 0.66), (0.12, 0.74), (0.30, 0.68)),
            blob(
                (0.16, 0.60),
                (0.40, 0.48),
                (0.66, 0.46),
                (0.76, 0.38),
                (0.90, 0.42),
                (0.90, 0.60),
                (0.70, 0.76),
                (0.42, 0.78),
            ),
        )
        pen.fill(
            lighter(look.colour, 0.2),
            blob((0.62, 0.54), (0.66, 0.20), (0.56, 0.02), (0.44, 0.26), (0.36, 0.60), (0.48, 0.66)),
        )
        pen.fill(BEAK, poly((0.90, 0.46), (1.0, 0.53), (0.90, 0.58)), shade=False)
        eye(pen, (0.81, 0.49), 0.035, look)
        return
    pen.flat(
        BEAK,
        limb(0.045, (0.46, 0.8), (0.45, 0.98)),
        limb(0.045, (0.60, 0.8), (0.61, 0.98)),
        limb(0.04, (0.43, 0.98), (0.52, 0.98)),
        limb(0.04, (0.59, 0.98), (0.69, 0.98)),
    )
    pen.fill(
        look.surface,
        poly((0.22, 0.50), (0.0, 0.62), (0.06, 0.74), (0.30, 0.72)),
        blob(
            (0.18, 0.62),
            (0.34, 0.38),
            (0.54, 0.14),
            (0.72, 0.04),
            (0.88, 0.14),
            (0.90, 0.32),
            (0.80, 0.62),
            (0.58, 0.84),
            (0.32, 0.80),
        ),
    )
    pen.flat(lighter(look.colour, 0.5), blob((0.86, 0.40), (0.78, 0.64), (0.60, 0.80), (0.62, 0.60), (0.74, 0.44)))
    pen.fill(dark, blob((0.12, 0.66), (0.34, 0.46), (0.58, 0.44), (0.60, 0.60), (0.42, 0.74)), shade=False)
    pen.fill(BEAK, poly((0.89, 0.18), (1.0, 0.25), (0.89, 0.31)), shade=False)
    eye(pen, (0.76, 0.19), 0.04, look)


def duck(pen: Pen, look: Look) -> None:
    """A duck with a broad bill; if swimming, with ripples."""
    swim = "swimming" in look
    scale = 1.0 if not swim else 1.12

    def p(x: float, y: float) -> Point:
        return x, y * scale

    if not swim:
        for x in (0.40, 0.56):
            pen.flat(BEAK, limb(0.05, (x, 0.8), (x, 0.96)), poly((x - 0.04, 1.0), (x + 0.14, 1.0), (x + 0.02, 0.92)))
    pen.fill(
        look.surface,
        blob(
            p(0.02, 0.40),
            p(0.12, 0.50),
            p(0.36, 0.50),
            p(0.56, 0.46),
            p(0.60, 0.26),
            p(0.62, 0.08),
            p(0.76, 0.0),
            p(0.88, 0.10),
            p(0.86, 0.26),
            p(0.80, 0.40),
            p(0.86, 0.60),
            p(0.74, 0.80),
            p(0.44, 0.86),
            p(0.18, 0.76),
        ),
    )
    pen.fill(BEAK, blob(p(0.86, 0.14), p(0.98, 0.20), p(1.0, 0.26), p(0.86, 0.27)), shade=False)
    pen.fill(
        darker(look.colour, 0.16),
        blob(p(0.16, 0.56), p(0.40, 0.54), p(0.62, 0.58), p(0.54, 0.72), p(0.30, 0.74)),
        shade=False,
    )
    eye(pen, p(0.76, 0.11), 0.035, look)
    if swim:
        pen.flat(
            (226, 240, 246),
            blob((0.06, 0.93), (0.3, 0.87), (0.6, 0.89), (0.92, 0.92), (0.7, 1.0), (0.3, 1.0)),
            alpha=170,
        )


def fish(pen: Pen, look: Look) -> None:
    """A fish with fins and a forked tail."""
    fin = darker(look.colour, 0.22)
    pen.fill(
        fin,
        blob((0.40, 0.22), (0.54, 0.0), (0.72, 0.08), (0.66, 0.26)),
        poly((0.48, 0.78), (0.44, 1.0), (0.64, 0.82)),
        shade=False,
    )
    pen.fill(
        look.surface,
        poly((0.26, 0.5), (0.02, 0.12), (0.08, 0.5), (0.02, 0.90)),
        blob(
            (0.20, 0.5), (0.40, 0.22), (0.68, 0.14), (0.90, 0.30), (0.99, 0.5), (0.90, 0.70), (0.68, 0.88), (0.40, 0.78)
        ),
    )
    pen.flat(
        fin,
        curve(0.03, (0.76, 0.30), (0.70, 0.5), (0.76, 0.72)),
        blob((0.52, 0.5), (0.62, 0.44), (0.64, 0.58), (0.54, 0.64)),
    )
    pen.dot(WHITE, (0.85, 0.42), 0.085)
    pen.dot(INK, (0.86, 0.42), 0.05)


SKETCHES: Sketches = {
    "dog": dog,
    "cat": cat,
    "bird": bird,
    "duck": duck,
    "fish": fish,
}
