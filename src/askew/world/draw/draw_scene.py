"""Draw a scene: the place, then the things from the farthest to the nearest, then rain or snow."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from askew.errors import UsageError
from askew.types import Scene, Thing
from askew.world.clusters import grip
from askew.world.draw.backgrounds import background, foreground
from askew.world.draw.draw_people import Outfit, draw_person, figure, hand
from askew.world.draw.pen import Look, Pen, brush, look_of
from askew.world.draw.sketch import sketch
from askew.world.draw.surface import INK, WHITE, brightness
from askew.world.layout import Box, box_of, facing, level, painting_order
from askew.world.world_data import classes, is_main, people, places

FINENESS = 2
"""The image is drawn this many times larger and then reduced, for smooth edges."""

RIM = {"bowl": 0.26, "vase": 0.03}
"""Where the content of a vessel disappears behind its front, as a fraction of its height from the top."""


def draw(scene: Scene, size: int = 224) -> Image.Image:
    """The image of a scene; ``size`` is its shorter side in pixels. The same scene gives the same pixels."""
    if scene.size is None or scene.facts.get("place") not in places():
        raise UsageError(f"Scene {scene.id!r} is not from the embedded world and cannot be drawn. Use make_scene.")
    scale = size / min(scene.size)
    width, height = (max(1, round(side * scale)) for side in scene.size)
    image = background(scene, (width * FINENESS, height * FINENESS))
    paint(image, scene, painting_order(scene))
    foreground(image, scene)
    return image.reduce(FINENESS)


def paint(image: Image.Image, scene: Scene, order: Sequence[Thing]) -> None:
    """Paint these things of the scene on an image of any size, in this order: the farthest first."""
    painter = _Painter(image, scene)
    for thing in order:
        if not painter.fills(thing) and classes()[thing.name].family == "people":
            painter.person(thing)
        elif is_main(thing.name):
            painter.thing(thing)


class _Painter:
    """Paints things; looks up the relations of the scene once."""

    def __init__(self, image: Image.Image, scene: Scene) -> None:
        assert scene.size is not None
        self.image, self.scene = image, scene
        self.scale = min(image.size) / min(scene.size)
        self.things = {thing.id: thing for thing in scene.things}
        self.time = scene.facts.get("time", "day")
        self.fronts: dict[str, tuple[Image.Image, tuple[int, int]]] = {}
        self.holders = {r.object: r.subject for r in scene.relations if r.name == "holding"}
        self.carried = {r.subject: r for r in scene.relations if r.name in ("on", "in", "sitting on", "riding")}

    def fills(self, thing: Thing) -> bool:
        """Whether the thing is in a vessel, which is then painted first, and its front once more afterwards."""
        carrier = self.carried.get(thing.id)
        if carrier is None or carrier.name != "in":
            return False
        vessel = self.things[carrier.object]
        self.thing(vessel)
        x, y, width, height = (side * self.scale for side in box_of(vessel))
        rim = RIM[vessel.name] * height
        frame = (round(x), round(y + rim), round(x + width), round(y + height))
        self.fronts[vessel.id] = (self.image.crop(frame), frame[:2])
        return True

    def thing(self, thing: Thing) -> None:
        """Paint a thing that is not a person."""
        if thing.id in self.fronts:
            self.image.paste(*self.fronts[thing.id])
            return
        look = look_of(thing, self.scene.id, self.time)
        pen = self._pen(thing, look)
        self._shadow(pen, thing)
        state = look.rng.getstate()
        pen.dry = True
        sketch(thing.name, brush(pen, look))
        look.rng.setstate(state)
        pen = Pen(pen.image, pen.box, pen.side, pen.unit, pen.rng, reach=pen.reach)
        sketch(thing.name, brush(pen, look))
        if "wet" in look:
            _drops(pen, look)
        if "dirty" in look and look.name not in ("plate", "mirror"):
            _mud(pen, look)
        if thing.id in self.holders:
            self._grip(thing, pen)

    def person(self, thing: Thing) -> None:
        """Paint a person with clothes."""
        look = look_of(thing, self.scene.id, self.time)
        pen = self._pen(thing, look)
        self._shadow(pen, thing)
        draw_person(figure(pen, look, self._outfit(thing)))

    def _pen(self, thing: Thing, look: Look) -> Pen:
        x, y, width, height = (side * self.scale for side in box_of(thing))
        return Pen(
            self.image, (x, y, width, height), facing(self.scene, thing.id), min(self.image.size) / 224, look.rng
        )

    def _outfit(self, thing: Thing) -> Outfit:
        worn = [self.things[r.object] for r in self.scene.relations if r.subject == thing.id and r.name == "wearing"]
        garments = {garment.name: look_of(garment, self.scene.id) for garment in worn}
        pose = self._pose(thing)
        held = [self.things[item] for item, holder in self.holders.items() if holder == thing.id]
        reach = None
        if held:
            doing = next((word for word in ("eating", "throwing") if word in thing.attributes), "holding")
            x, y = people()["poses"][pose][grip(doing, held[0].name)]
            reach = (x, y)
        return Outfit(garments, pose, reach)

    def _pose(self, thing: Thing) -> str:
        """The row of ``people.yaml`` with the joints: how a person sits depends on the seat."""
        carrier = self.carried.get(thing.id)
        below = self.things[carrier.object].name if carrier else ""
        if carrier and carrier.name == "riding":
            return "balancing" if below in ("skateboard", "surfboard") else "riding"
        if "sitting" in thing.attributes:
            return "sitting" if below == "chair" else "facing"
        return next((word for word in thing.attributes if word in people()["joints"]), "standing")

    def _grip(self, thing: Thing, pen: Pen) -> None:
        """Paint the holder's hand over the thing, and the string of a kite."""
        holder = self.things[self.holders[thing.id]]
        look = look_of(holder, self.scene.id, self.time)
        body = figure(self._pen(holder, look), look, self._outfit(holder))
        assert body.outfit.reach is not None
        if thing.name == "kite":
            pen.draw.line(
                [body.pen.at(body.outfit.reach), pen.at((0.5, 0.3))], fill=INK, width=max(1, round(0.7 * pen.unit))
            )
        hand(body, body.outfit.reach)

    def _shadow(self, pen: Pen, thing: Thing) -> None:
        carrier = self.carried.get(thing.id)
        if level(thing) != "ground" or thing.id in self.holders or thing.name in ("boat", "fish", "orange"):
            return
        if "swimming" in thing.attributes or (carrier and carrier.name != "on"):
            return
        x, y, width, height = pen.box
        if "jumping" in thing.attributes:
            y += 0.105 * height
        shadow(pen, (x, y, width, height))


def shadow(pen: Pen, box: Box) -> None:
    """A soft shadow on the ground at the foot of a box (pixels)."""
    x, y, width, height = box
    foot, tall = y + height, max(3 * pen.unit, min(0.07 * width, 0.10 * height))
    for grow in (1.0, 0.78, 0.55):
        half, high = width * 0.5 * grow, tall * grow
        middle = x + width / 2
        pen.draw.ellipse((middle - half, foot - high, middle + half, foot + high * 0.6), fill=(30, 26, 50, 26))


def _drops(pen: Pen, look: Look) -> None:
    unit = pen.unit
    edge = (60, 120, 190, 255) if brightness(look.colour) > 0.45 else (20, 60, 120, 255)
    for x, y in pen.inside(8):
        r = unit * pen.rng.uniform(1.5, 2.3)
        for grow, ink in ((1.35, edge), (1.0, (150, 212, 250, 255))):
            q = r * grow
            pen.draw.polygon([(x, y - 2.2 * q), (x + 0.85 * q, y - 0.2 * q), (x - 0.85 * q, y - 0.2 * q)], fill=ink)
            pen.draw.ellipse((x - q, y - q, x + q, y + q), fill=ink)
        pen.draw.ellipse((x - 0.5 * r, y - 0.4 * r, x, y + 0.1 * r), fill=WHITE)


def _mud(pen: Pen, look: Look) -> None:
    unit = pen.unit
    mud = (96, 66, 40, 235) if not 0.22 < brightness(look.colour) < 0.5 else (66, 44, 28, 240)
    for x, y in pen.inside(8):
        r = unit * pen.rng.uniform(1.6, 3.0)
        pen.draw.ellipse((x - 1.3 * r, y - r, x + 1.3 * r, y + r), fill=mud)
        for _ in range(3):
            dx, dy, q = pen.rng.uniform(-2, 2) * r, pen.rng.uniform(-1.5, 1.5) * r, r * pen.rng.uniform(0.2, 0.5)
            pen.draw.ellipse((x + dx - q, y + dy - q, x + dx + q, y + dy + q), fill=mud)
