"""TextAttack's side of ``bench_attack.py``: greedy swaps by word importance, with the candidates it is given.

Runs in TextAttack's own environment: python attack_textattack.py INPUT.json OUTPUT.json
"""

from __future__ import annotations

import json
import sys
import time

from attack_stub import Stub, chances
from textattack import Attack
from textattack.constraints import PreTransformationConstraint
from textattack.constraints.pre_transformation import RepeatModification
from textattack.goal_functions import UntargetedClassification
from textattack.models.wrappers import ModelWrapper
from textattack.search_methods import GreedyWordSwapWIR
from textattack.shared import AttackedText
from textattack.transformations import WordSwap


class Wrapper(ModelWrapper):
    """The stub, which also notes the distinct texts of each question."""

    def __init__(self, stub):
        self.model, self.stub, self.seen = None, stub, set()

    def __call__(self, texts):
        self.seen.update(texts)
        return self.stub.chances(list(texts))


class Table(WordSwap):
    """Swaps from the table."""

    def __init__(self, table):
        super().__init__()
        self.table = table

    def _get_replacement_words(self, word):
        return self.table.get(word.lower(), [])


class InTable(PreTransformationConstraint):
    """Only words with swaps are weighed and replaced."""

    def __init__(self, table):
        self.table = table

    def _get_modifiable_indices(self, current_text):
        return {number for number, word in enumerate(current_text.words) if word.lower() in self.table}


def main(source: str, target: str) -> None:
    """Attack the questions one after the other."""
    with open(source, encoding="utf-8") as file:
        given = json.load(file)
    table, stub = given["table"], Stub(given["call"], given["text"])
    wrapper = Wrapper(stub)
    goal = UntargetedClassification(wrapper, use_cache=True)
    goal.batch_size = given["batch_size"]
    attack = Attack(goal, [RepeatModification(), InTable(table)], Table(table), GreedyWordSwapWIR("delete"))
    outcomes, begun = [], time.process_time()
    for text in given["questions"]:
        wrapper.seen.clear()
        label = max(range(len(said := chances(text))), key=said.__getitem__)
        result = attack.attack(AttackedText(text), label)
        after = result.perturbed_result.attacked_text
        changed = sorted(after.attack_attrs.get("modified_indices", ()))
        kind = type(result).__name__
        outcomes.append([kind, len(wrapper.seen), changed if kind.startswith("Success") else []])
    seconds = time.process_time() - begun + stub.slept
    with open(target, "w", encoding="utf-8") as file:
        json.dump({"seconds": seconds, "calls": stub.calls, "texts": stub.texts, "outcomes": outcomes}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
