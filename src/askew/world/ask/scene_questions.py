"""Questions about the picture as a whole: the place, the weather, the time of day, the sport."""

from __future__ import annotations

from random import Random

from askew.language.inflect import with_article
from askew.world.ask.scene_view import SceneView, shuffled
from askew.world.meaning import Draft, Meaning
from askew.world.phrasing import data, said_word

_TIMES = {"day": "daytime", "night": "nighttime"}
_SPORTS = ("soccer", "basketball", "tennis", "surfing", "skateboarding", "horse riding")
_WEATHERS = ("sunny", "cloudy", "rainy", "snowy")


def whole(view: SceneView, rng: Random, want: str) -> Draft | None:
    """*Is this a kitchen?* *Is it sunny?* *Was this photo taken outdoors?*"""
    for fact in shuffled(("place", "place", "setting", "weather", "time", "sport"), rng):
        draft = _FACTS[fact](view, rng, want)
        if draft:
            return draft
    return None


def place(view: SceneView, rng: Random, want: str) -> Draft | None:
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


def weather(view: SceneView, rng: Random, want: str) -> Draft | None:
    """*How is the weather?*, where it can be seen: not whether the sky is clear at night."""
    value = view.scene.facts.get("weather")
    if value is None or not _shows(view, value):
        return None
    return Draft("weather", Meaning("fact", about="weather"), value)


def time(view: SceneView, rng: Random, want: str) -> Draft | None:
    """*What time of day is it?*"""
    value = view.scene.facts.get("time")
    return Draft("time", Meaning("fact", about="time"), value) if value else None


def recognised(view: SceneView, name: str) -> bool:
    """Whether people would know the place: by what only this place looks like, or by a thing that tells."""
    telling = data("nouns")["telltale"].get(name)
    return telling is None or bool(view.names.intersection(telling))


def _shows(view: SceneView, weather: str) -> bool:
    return view.scene.facts.get("time") == "day" or weather in ("rainy", "snowy")


def _place(view: SceneView, rng: Random, want: str) -> Draft | None:
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


def _setting(view: SceneView, rng: Random, want: str) -> Draft:
    true = view.scene.facts["setting"]
    asked = true if want == "yes" else {"indoors": "outdoors", "outdoors": "indoors"}[true]
    said = {"indoors": "inside", "outdoors": "outside"}[asked] if rng.random() < 0.3 else asked
    return Draft("whole/setting", Meaning("fact is", about="setting", values=(asked,)), want, {"w": said})


def _weather(view: SceneView, rng: Random, want: str) -> Draft | None:
    true = view.scene.facts.get("weather")
    if true is None or not _shows(view, true):
        return None
    asked = true if want == "yes" else rng.choice([name for name in _WEATHERS if name != true])
    if want == "no" and {asked, true} in ({"cloudy", "rainy"}, {"cloudy", "snowy"}):
        return None
    return Draft("whole/weather", Meaning("fact is", about="weather", values=(asked,)), want, {"w": asked})


def _time(view: SceneView, rng: Random, want: str) -> Draft | None:
    true = view.scene.facts.get("time", "")
    if true not in _TIMES:
        return None
    asked = true if want == "yes" else "day" if true == "night" else "night"
    return Draft("whole/time", Meaning("fact is", about="time", values=(asked,)), want, {"w": _TIMES[asked]})


def _sport(view: SceneView, rng: Random, want: str) -> Draft | None:
    true = view.scene.facts.get("sport")
    if true is None:
        return None
    asked = true if want == "yes" else rng.choice([name for name in _SPORTS if name != true])
    return Draft("whole/sport", Meaning("fact is", about="sport", values=(asked,)), want, {"w": said_word(asked)})


_FACTS = {"place": _place, "setting": _setting, "weather": _weather, "time": _time, "sport": _sport}
