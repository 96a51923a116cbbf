"""The embedded world as the content of a study: its scenes as images, and gold questions and a quiz about them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path
from random import Random

from askew.collect.image_import import Added, cleaned, import_images, write_image
from askew.collect.prepared_items import add_gold, is_in_quiz
from askew.collect.protocol import same_question
from askew.collect.quiz import add_quiz_item
from askew.collect.study import Study
from askew.errors import UsageError
from askew.files.read_write import resource, write_joined
from askew.types import Question
from askew.world.ask import asked
from askew.world.dataset import SceneCache, World, world_cache
from askew.world.phrasing import Asked
from askew.world.scenes import make_scene

FILE = "world.json"
SIZE = 224
DRAFTS = 3
"""How often questions about a scene are generated, so that there are enough."""


@dataclass(frozen=True)
class WorldStudy:
    """Which scene each image of a study shows."""

    seed: int
    scenes: dict[str, int]
    """Name of the imported file to the number of the scene."""
    size: int = SIZE
    """Width and height of the images."""

    def questions(self, name: str) -> list[Asked]:
        """What can be asked about an image, each with its true answer; no two in nearly the same words."""
        scene = make_scene(self.seed, self.scenes[name], (self.size, self.size))
        found = {same_question(one.text): one for draft in range(DRAFTS) for one in asked(scene, self.seed + draft)}
        return list(found.values())


def import_world(
    study: Study,
    round_id: int,
    indices: Sequence[int],
    seed: int | None = None,
    progress: Callable[[int], object] = lambda _: None,
    size: int = SIZE,
) -> Added:
    """Add scenes of the embedded world to a draft round as images; their domain is the setting (indoors, outdoors).

    All scenes of a study are of one world, so ``seed`` and ``size`` are those of the scenes that it has already.
    """
    known = load_world(study) if (study.folder / FILE).is_file() else WorldStudy(seed or 0, {}, size)
    if seed not in (None, known.seed):
        raise UsageError(
            f"The study has scenes of the world with seed {known.seed}; all must be of one world. Omit --seed."
        )
    seed, size = known.seed, known.size
    cache = SceneCache(world_cache(seed, size), seed, size)
    paths, domains = [], {}
    for index in indices:
        scene, _ = cache.entry(index)
        path = Path(cache.image_path(index))
        paths.append(path)
        domains[path.name] = str(scene.facts.get("setting", "world"))
        known.scenes[path.name] = index
        progress(1)
    about = {"seed": seed, "size": size, "scenes": known.scenes}
    write_joined(study.folder / FILE, [json.dumps(about, sort_keys=True).encode()])
    return import_images(study, paths, round_id, "world", domains)


def load_world(study: Study) -> WorldStudy:
    """The scenes that the study shows."""
    path = study.folder / FILE
    if not path.is_file():
        raise UsageError(
            f"{study.folder}: its images are not scenes of the embedded world, so people cannot be simulated. "
            "Add some: askew collect images STUDY --world 100"
        )
    about = json.loads(path.read_text(encoding="utf-8"))
    return WorldStudy(about["seed"], about["scenes"], about["size"])


WORLD_SEED = 20_000
"""The seed of the first world used here; the images of rounds come from other worlds."""


def add_world_gold(study: Study, many: int) -> Added:
    """Add gold questions about scenes of the embedded world: counts, colors and sides, which have one name each."""
    done = Added()
    for chosen in _world_questions(_has_one_word):
        if done.added >= many:
            break
        passing = ["gray", "grey"] if chosen.answers[0] == "gray" else [chosen.answers[0]]
        stored = write_image(study, cleaned(_file(chosen)))
        with study.database.write() as tx:
            done.added += add_gold(tx, stored, chosen.text, passing) is not None
    return done


def add_world_quiz(study: Study, many: int = 16) -> Added:
    """Add a quiz about scenes of the embedded world: of eight examples 3 are correct, 3 wrong and 2 unknowable."""
    done = Added()
    questions = _world_questions(_is_plain)
    earlier: list[Question] = []
    for number in range(many):
        chosen = next(questions)
        text, robot_answer, verdict, hint = _quiz_example(number, chosen, earlier)
        earlier.append(chosen)
        stored = write_image(study, cleaned(_file(chosen)))
        with study.database.write() as tx:
            if is_in_quiz(tx, stored, text):
                done.left_out.append(f"{text}: it is in the quiz already")
                continue
            add_quiz_item(tx, stored, text, robot_answer, verdict, hint)
            done.added += 1
    return done


def _is_plain(chosen: Question) -> bool:
    """Whether everybody gives the same answer, and the question is written as the instructions demand."""
    return len(set(chosen.answers)) == 1 and chosen.text[0].isupper() and chosen.text.endswith("?")


def _has_one_word(chosen: Question) -> bool:
    """Whether careful people can only give one answer, in one way."""
    counted = chosen.kind.answer_type == "number" and chosen.answers[0].isdigit()
    return len(set(chosen.answers)) == 1 and (
        counted or chosen.answers[0] in ("left", "right") or "what color" in chosen.text.lower()
    )


def _quiz_example(number: int, chosen: Question, earlier: list[Question]) -> tuple[str, str, str, str]:
    """The question, the robot's answer, the correct verdict and the hint of one example."""
    true = chosen.answers[0]
    place, turn = number % 8, number // 8
    if place in (3, 7):
        unknowable = resource("collect/simulation/texts.yaml")["unknowable"]
        text, robot_answer = unknowable[(2 * turn + (place == 7)) % len(unknowable)]
        return text, robot_answer, "unsure", "The image does not show it, so nobody can know. Choose “not sure”."
    if place in (0, 2, 5):
        return chosen.text, true, "correct", f"The image shows it: the answer is {true}."
    wrong = {"yes": "no", "no": "yes"}.get(true) or _other_answer(chosen, earlier)
    return chosen.text, wrong, "wrong", f"The correct answer is {true}, and nobody would accept {wrong}."


def _other_answer(chosen: Question, earlier: list[Question]) -> str:
    """The other of two options, or an answer to another question of the same kind, so that it is plausible."""
    options = re.search(r"(\w+) or (\w+)\?$", chosen.text)
    if options is not None:
        return next(word for word in options.groups() if word != chosen.answers[0])
    if chosen.kind.answer_type == "number":
        return str(int(chosen.answers[0]) + 3) if chosen.answers[0].isdigit() else "7"
    same = [one for one in earlier if one.kind.question_type == chosen.kind.question_type]
    others = [one.answers[0] for one in same if one.answers[0] not in (chosen.answers[0], "yes", "no")]
    unlikely: dict[str, str] = resource("collect/simulation/texts.yaml")["unlikely"]
    return others[-1] if others else unlikely.get(chosen.kind.question_type, "an elephant")


def _world_questions(fits: Callable[[Question], bool]) -> Iterator[Question]:
    """One question per scene of worlds reserved for this, on which at least nine of ten simulated people agree."""
    for seed in count(WORLD_SEED):
        scenes = groupby(World("val", seed=seed).questions(), key=lambda one: one.image)
        for shown, drawn in scenes:
            agreed = [one for one in drawn if Counter(one.answers).most_common(1)[0][1] >= 9 and fits(one)]
            if agreed and shown is not None:
                yield Random(f"{shown.id}").choice(agreed)


def _file(chosen: Question) -> Path:
    assert chosen.image is not None
    return Path(str(chosen.image.path))
