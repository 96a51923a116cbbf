"""``askew attack`` against TextAttack: the same greedy search, the same candidates, the same stub model.

    python benchmarks/bench_attack.py [COUNT] [--textattack PYTHON] [--questions FILE]

``--textattack`` names the Python of an environment with textattack 0.3.11 ("flair>=0.13" "transformers<5") and NLTK's
stopwords. Both programs weigh words by leaving them out and use the same table of swaps (WordNet's synonyms of any
sense), with no other constraint and no budget; batches have 256 texts. Outcomes must be equal question by question:
success or failure, distinct texts asked, words replaced. They differ if the swap that lowers the probability most
does not change the answer and another one does: TextAttack considers only the first and continues, TextFooler's own
code and askew take the second. Times are processor time plus the stub's price, so that other load on the machine does
not matter; for the endpoint they are wall-clock times. The endpoint takes 200 ms per question and has 64 connections;
TextAttack's wrapper would ask it sequentially, which is computed instead of waited for.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from attack_stub import CLASSES, Stub, chances
from questions import text

from askew.attack.attack_parts import Attack, Listed
from askew.attack.search import GreedySearch
from askew.attack.word_swaps import SynonymSwaps
from askew.engine.attack_driver import AttackRequests, Driver
from askew.engine.attack_task import AttackRules, AttackTask
from askew.engine.resume import Keys
from askew.engine.store import Store
from askew.metrics.correct import right
from askew.types import Prediction, Question

BATCH = 256
PRICES = (
    ("20 ms a call + 1 ms a text", 0.02, 0.001, 4.0),
    ("20 ms a call, texts free", 0.02, 0.0, 15.0),
)
"""The cost of a call and of a text in seconds, and the ratio that is the goal."""
CONNECTIONS, LATENCY, ENDPOINT_GOAL = 64, 0.2, 40.0
LABELS = [str(number) for number in range(CLASSES)]


@dataclass
class StubModel:
    """The stub as a model of askew."""

    stub: Stub = field(repr=False)
    free_text = False
    blind = True

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The most probable class, with its probability."""
        said = self.stub.chances([question.text for question in questions])
        return [_prediction(question, one) for question, one in zip(questions, said, strict=True)]

    def scores(self, questions: Sequence[Question], answers: Sequence[str]) -> list[float]:
        """The probability of a given class."""
        said = self.stub.chances([question.text for question in questions])
        return [one[int(answer)] for one, answer in zip(said, answers, strict=True)]


@dataclass
class StubEndpoint:
    """The stub behind many connections, each of which waits for every answer."""

    calls: int = field(default=0, repr=False)
    free_text = False
    blind = True

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """All answers, in order."""
        said = {one.question_id: one for one in self.stream(questions)}
        return [said[question.id] for question in questions]

    def stream(self, questions: Sequence[Question]) -> Any:
        """Each answer as it comes."""
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            for done in as_completed([pool.submit(self._ask, question) for question in questions]):
                self.calls += 1
                yield done.result()

    def _ask(self, question: Question) -> Prediction:
        time.sleep(LATENCY)
        return _prediction(question, chances(question.text))


def _prediction(question: Question, said: Sequence[float]) -> Prediction:
    best = max(range(CLASSES), key=said.__getitem__)
    return Prediction(question.id, str(best), said[best])


def judge(question: Question, said: Prediction) -> tuple[str | None, bool]:
    """The answer, and whether it is that of the original."""
    return said.answer, right(question, said)


def attack(
    questions: Sequence[Question], table: dict[str, list[str]], model: Any, store: Path, mode: str
) -> tuple[list[AttackTask], float]:
    """askew's side: the finished searches, and seconds of work."""
    rules = AttackRules(Attack("greedy", Listed(table), GreedySearch(repair=False)), mode, 10**6, 0, judge)
    begun = time.process_time()
    with Store(store) as kept:
        tasks = list(Driver(rules, AttackRequests(model, Keys(model), kept, BATCH)).run(questions))
    return tasks, time.process_time() - begun


def outcome(task: AttackTask) -> list[Any]:
    """Success or failure, distinct texts asked, and words replaced."""
    starts = [place.start for place in Listed({}).places([task.question])[0]]
    changed = [starts.index(change.start) for change in task.result.changes] if task.result else []
    return [task.status == "found", len(task.texts), changed if task.status == "found" else []]


def peer(python: str, questions: Sequence[Question], table: dict[str, list[str]], call: float, price: float) -> Any:
    """TextAttack's side, in its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.json"), Path(folder, "out.json")
        given = {"questions": [q.text for q in questions], "table": table, "call": call, "text": price}
        source.write_text(json.dumps({**given, "batch_size": BATCH}), encoding="utf-8")
        script = Path(__file__).with_name("attack_textattack.py")
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        command = [python, str(script), str(source), str(target)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=environment)
        return json.loads(target.read_text(encoding="utf-8"))


def swaps_of(questions: Sequence[Question]) -> dict[str, list[str]]:
    """One table of swaps for both programs: each word's synonyms, in one word, wherever it occurs."""
    found: dict[str, dict[str, None]] = {}
    for places in SynonymSwaps("all").places(questions):
        for place in places:
            new = [swap.text for swap in place.swaps if swap.text.isalpha() and swap.text.islower()]
            found.setdefault(place.text.lower(), {}).update(dict.fromkeys(new))
    return {word: [new for new in swaps if new != word] for word, swaps in found.items() if swaps and word.isalpha()}


def compared(said: Any, ours: Sequence[AttackTask], seconds: float, goal: float) -> str:
    """TextAttack's figures next to askew's."""
    theirs = [[status.startswith("Success"), texts, words] for status, texts, words in said["outcomes"]]
    other = [
        f"{task.question.text} {one} {outcome(task)}"
        for one, task in zip(theirs, ours, strict=True)
        if one != outcome(task)
    ]
    return (
        f"  TextAttack {said['seconds']:.1f} s, {said['calls']} calls, {said['texts']} texts: "
        f"{said['seconds'] / seconds:.1f}x (goal {goal:.0f}x); equal outcomes: {len(ours) - len(other)} of "
        f"{len(ours)}" + "".join(f"\n    differs (success, texts, words; theirs, ours): {one}" for one in other[:3])
    )


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=400)
    parser.add_argument("--textattack", metavar="PYTHON")
    parser.add_argument("--questions", metavar="FILE")
    options = parser.parse_args()
    lines = Path(options.questions).read_text("utf-8").splitlines() if options.questions else map(text, range(10**5))
    texts = list(islice(dict.fromkeys(line.strip() for line in lines), options.count))
    bare = [Question(number, None, line) for number, line in enumerate(texts)]
    questions = [Question(q.id, None, q.text, (str(_prediction(q, chances(q.text)).answer),) * 10) for q in bare]
    table = swaps_of(questions)
    print(f"{len(questions)} questions, {len(table)} words with {sum(map(len, table.values()))} swaps")
    with tempfile.TemporaryDirectory() as folder:
        for number, (title, call, price, goal) in enumerate(PRICES):
            stub, again = Stub(call, price), Stub(call, price)
            ours, seconds = attack(questions, table, StubModel(stub), Path(folder, str(number)), "score")
            seconds += stub.slept
            print(f"{title}: askew {seconds:.1f} s, {stub.calls} calls, {stub.texts} texts")
            if options.textattack:
                print(compared(peer(options.textattack, questions, table, call, price), ours, seconds, goal))
            _, seconds = attack(questions, table, StubModel(again), Path(folder, str(number)), "score")
            print(f"  the second time: {again.calls} calls, {seconds:.1f} s")
        endpoint = StubEndpoint()
        begun = time.perf_counter()
        attack(questions, table, endpoint, Path(folder, "endpoint"), "confidence")
        seconds = time.perf_counter() - begun
        alone = LATENCY * endpoint.calls
        print(
            f"endpoint of {LATENCY * 1000:.0f} ms with {CONNECTIONS} connections: askew {seconds:.1f} s for "
            f"{endpoint.calls} requests; one after the other {alone:.0f} s: {alone / seconds:.1f}x "
            f"(goal {ENDPOINT_GOAL:.0f}x)"
        )


if __name__ == "__main__":
    main()
