"""Questions about the whole image: place, weather, time of day, sport, and how many things there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from askew.language.inflect import number_word, with_article
from askew.types import Thing
from askew.world.ask.askable_scene import AskableScene, one_colour, shuffled, tells_apart
from askew.world.ask.yes_no_questions import absent
from askew.world.phrasing import Draft, Meaning, Pick, data, said_word
from askew.world.world_data import classes, is_a

_TIMES = {"day": "daytime", "night": "nighttime"}
_SPORTS = ("soccer", "basketball", "tennis", "surfing", "skateboarding", "horse riding")
_WEATHERS = ("sunny", "cloudy", "rainy", "snowy")


def whole(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is this a kitchen?* *Is it sunny?* *Was this photo taken outdoors?*"""
    for fact in shuffled(("place", "place", "setting", "weather", "time", "sport"), rng):
        draft = _FACTS[fact](view, rng, want)
        if draft:
            return draft
    return None


def place(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What room is this?* *Where was this photo taken?* *What sport is this?*"""
    name, sport = view.scene.facts["place"], view.scene.facts.get("sport")
    if sport:
        return Draft("place/sport", Meaning("fact", about="sport"), sport)
    if not recognised(view, name):
        return None
    if name in data("nouns")["rooms"]:
        return Draft("place/room", Meaning("fact", about="place"), name)
    if name in data("nouns")["places"]:
        return Draft("place", Meaning("fact", about="place"), data("nouns")["places"][name])
    return None


def weather(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*How is the weather?*, if it is visible: not whether the sky is clear at night."""
    value = view.scene.facts.get("weather")
    if value is None or not _shows(view, value):
        return None
    return Draft("weather", Meaning("fact", about="weather"), value)


def time(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*What time of day is it?*"""
    value = view.scene.facts.get("time")
    return Draft("time", Meaning("fact", about="time"), value) if value else None


def recognised(view: AskableScene, name: str) -> bool:
    """Whether people would recognise the place: by its looks, or by a thing that is typical of it."""
    telling = data("nouns")["telltale"].get(name)
    return telling is None or bool(view.names.intersection(telling))


def _shows(view: AskableScene, weather: str) -> bool:
    return view.scene.facts.get("time") == "day" or weather in ("rainy", "snowy")


def _place(view: AskableScene, rng: Random, want: str) -> Draft | None:
    true = view.scene.facts["place"]
    rooms, places = data("nouns")["rooms"], list(data("nouns")["places"])
    among = rooms if true in rooms else places
    if want == "yes" and (true not in among or not recognised(view, true)):
        return None
    asked = true if want == "yes" else rng.choice([name for name in among if name != true])
    water = asked in ("beach", "lake") and true in ("beach", "lake")
    if want == "no" and (water or view.names.intersection(data("nouns")["telltale"].get(asked, ()))):
        return None
    key = "whole/room" if among is rooms else "whole/place"
    slots = {"a": with_article(asked), "at": "on" if asked == "street" else "at"}
    return Draft(key, Meaning("fact is", about="place", values=(asked,)), want, slots)


def _setting(view: AskableScene, rng: Random, want: str) -> Draft:
    true = view.scene.facts["setting"]
    asked = true if want == "yes" else {"indoors": "outdoors", "outdoors": "indoors"}[true]
    word = {"indoors": "inside", "outdoors": "outside"}[asked] if rng.random() < 0.3 else asked
    return Draft("whole/setting", Meaning("fact is", about="setting", values=(asked,)), want, {"w": word})


def _fact(about: str, view: AskableScene, rng: Random, want: str) -> Draft | None:
    """Whether the weather is sunny, the time is night, the sport is soccer."""
    true = view.scene.facts.get(about, "")
    known = {"weather": _WEATHERS, "time": tuple(_TIMES), "sport": _SPORTS}[about]
    if true not in known or (about == "weather" and not _shows(view, true)):
        return None
    others = [name for name in known if name != true]
    asked = true if want == "yes" else others[0] if about == "time" else rng.choice(others)
    if {asked, true} in ({"cloudy", "rainy"}, {"cloudy", "snowy"}):
        return None
    word = _TIMES.get(asked) or said_word(asked)
    return Draft(f"whole/{about}", Meaning("fact is", about=about, values=(asked,)), want, {"w": word})


_FACTS: Mapping[str, Callable[[AskableScene, Random, str], Draft | None]] = {
    "place": _place,
    "setting": _setting,
    **{about: partial(_fact, about) for about in ("weather", "time", "sport")},
}


def count(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*How many dogs are there?* *How many apples are on the table?*"""
    options = [(Pick(noun), noun, "", len(view.named(noun))) for noun in _countable(view)]
    options += list(_narrower(view, rng))
    none = absent(view, rng)
    if none:
        options.append((Pick(none), none, "", 0))
    odds = data("mix")["counts"]
    weights = [odds.get(number, 1.0) for *_, number in options]
    pick, noun, where, number = rng.choices(options, weights=weights)[0]
    plural = view.call(noun, rng)[1]
    if where == "colour":
        return Draft("count", Meaning("count", pick), str(number), {"many": f"{pick.words[0]} {plural}"})
    return Draft("count/where" if where else "count", Meaning("count", pick), str(number), {"many": plural, "w": where})


def how_many(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Are there two dogs in the picture?*"""
    nouns = _countable(view)
    if not nouns:
        return None
    noun = rng.choices(nouns, weights=[len(view.named(noun)) for noun in nouns])[0]
    true = len(view.named(noun))
    asked = true if want == "yes" else max(1, true + rng.choice((-1, 1, 1, 2)))
    if (asked == true) != (want == "yes"):
        return None
    one, plural = view.call(noun, rng)
    number = number_word(asked) if rng.random() < 0.6 else str(asked)
    key = "how_many/one" if asked == 1 else "how_many/several" if asked >= true else "how_many/exactly"
    meaning = Meaning("count is", Pick(noun), values=(str(asked),))
    return Draft(key, meaning, want, {"n": number, "noun": one, "many": plural})


def several(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Is there more than one dog?*"""
    nouns = [noun for noun in _countable(view) if (len(view.named(noun)) > 1) == (want == "yes")]
    if not nouns:
        return None
    noun = rng.choice(nouns)
    one, plural = view.call(noun, rng)
    return Draft("several", Meaning("more than", Pick(noun), values=("1",)), want, {"noun": one, "many": plural})


def more(view: AskableScene, rng: Random, want: str) -> Draft | None:
    """*Are there more cats than dogs?*"""
    for noun in shuffled(sorted(view.names), rng):
        for other in shuffled(sorted(view.names), rng):
            mine, theirs = len(view.named(noun)), len(view.named(other))
            family = classes()[noun].family == classes()[other].family
            if (
                not is_a(noun, other)
                and not is_a(other, noun)
                and mine != theirs
                and family
                and (mine > theirs) == (want == "yes")
            ):
                slots = {"many": view.call(noun, rng)[1], "others": view.call(other, rng)[1]}
                return Draft("more", Meaning("more", Pick(noun), other=Pick(other)), want, slots)
    return None


def _countable(view: AskableScene) -> list[str]:
    """Classes and hypernyms for which every instance in the scene is clearly visible."""
    nouns = sorted(view.names)
    nouns += [
        word for word in data("nouns")["wider"] if word not in view.names and view.named(word) and view.wider(word)
    ]
    return [noun for noun in nouns if all(thing.id in view.asked_ids for thing in view.named(noun))]


def _narrower(view: AskableScene, rng: Random) -> list[tuple[Pick, str, str, int]]:
    """Counts of a subset: by pose, by colour, or by what they are on."""
    found = []
    for noun in _countable(view):
        things = view.named(noun)
        if len(things) < 2:
            continue
        poses = [view.looks[thing.id].get("pose") for thing in things]
        riding = any(view.looks[thing.id].get("action") == "riding" for thing in things)
        clear = all(poses) and not {"standing", "walking", "running"} & set(poses) and not riding
        for pose in sorted({pose for pose in poses if pose and clear}):
            found.append((Pick(noun, (pose,)), noun, said_word(pose), poses.count(pose)))
        if classes().get(noun) and len({view.looks[thing.id].get("colour") for thing in things}) > 1:
            found += _by_colour(view, noun, things)
        found += _by_carrier(view, rng, noun, things)
    return found


def _by_colour(view: AskableScene, noun: str, things: list[Thing]) -> list[tuple[Pick, str, str, int]]:
    if not all(one_colour(view, thing) for thing in things):
        return []
    found = []
    for thing in things:
        colour = view.looks[thing.id]["colour"]
        if tells_apart(view, thing, noun, "colour"):
            found.append((Pick(noun, (colour,)), noun, "colour", 1))
    return found


def _by_carrier(view: AskableScene, rng: Random, noun: str, things: list[Thing]) -> list[tuple[Pick, str, str, int]]:
    found = []
    for carrier in view.subjects:
        if view.others(carrier, carrier.name):
            continue
        number = sum(a.id in {t.id for t in things} and n == "on" and b.id == carrier.id for a, n, b in view.touching)
        inside = any(a.id in {t.id for t in things} and n in ("in", "under") for a, n, b in view.touching)
        if number and not inside:
            where = f"on the {view.call(carrier.name, rng)[0]}"
            found.append((Pick(noun, tie="on", to=Pick(carrier.name)), noun, where, number))
    return found
