"""VQA accuracy of 214,354 predictions (as many as VQA v2 val has): askew against the official evaluator's algorithm.

    python benchmarks/bench_accuracy.py [questions]

The peer does what the public evaluator does: it copies the annotations, goes through every person's answer to every
question, searches it for every punctuation mark, and compares every answer with the nine others. Answers are generated
from a seed, with some agreement, number words, articles and punctuation. Times are processor times; askew's is the best
of three, each with empty caches.
"""

import copy
import gc
import re
import sys
import time
from random import Random

import askew.answers.normalise
from askew.files.read_write import resource
from askew.metrics import accuracy
from askew.types import Kind, Question


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 214_354
    annotations, predictions = made_up(count)
    questions = [
        Question(
            a["question_id"],
            None,
            "",
            tuple(p["answer"] for p in a["answers"]),
            Kind(a["answer_type"], a["question_type"]),
        )
        for a in annotations
    ]
    gc.collect()
    gc.freeze()  # neither side pays for looking through the made-up data
    ours, table = min((timed(lambda: fresh(questions, predictions)) for _ in range(3)), key=lambda run: run[0])
    peer, figures = timed(lambda: Peer().evaluate(annotations, predictions))
    assert abs(table.overall - figures["overall"]) < 0.011, (table.overall, figures["overall"])
    assert all(abs(table.answer_types[k] - v) < 0.011 for k, v in figures["answer_type"].items())
    print(f"{'':24}{'askew s':>10}{'official s':>12}{'ratio':>8}")
    print(f"{f'{count:,} answers':24}{ours:>10.2f}{peer:>12.2f}{peer / ours:>7.1f}x")
    print(f"overall accuracy {table.overall} (peer {figures['overall']})")


def timed(run):
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def fresh(questions, predictions):
    """askew's accuracy, with empty caches."""
    for cached in (askew.answers.normalise.normalise, accuracy._as_the_evaluator_adds_up):
        cached.cache_clear()
    return accuracy.official_table(questions, predictions)


def made_up(count: int):
    annotations, predictions = [], {}
    for annotation, prediction in made_up_one_by_one(count):
        annotations.append(annotation)
        predictions[annotation["question_id"]] = prediction
    return annotations, predictions


def made_up_one_by_one(count: int):
    rng = Random("bench_accuracy")
    syllables = [c + v + e for c in "bcdfglmnprst" for v in "aeiou" for e in ("", "n", "r", "sk")]
    words = ["".join(rng.choice(syllables) for _ in range(rng.choice((1, 2, 2, 3)))) for _ in range(30_000)]
    for number in range(count):
        kind = rng.choices(("yes/no", "number", "other"), (38, 12, 50))[0]
        truth, others = truths(kind, words, rng)
        agreement = 1.0 if rng.random() < 0.33 else rng.uniform(0.2, 0.95)
        answers = [truth if rng.random() < agreement else dressed(rng.choice(others), rng) for _ in range(10)]
        annotation = {
            "question_id": number,
            "answer_type": kind,
            "question_type": f"{kind} {number % 22}",
            "answers": [{"answer": a, "answer_confidence": "yes", "answer_id": i + 1} for i, a in enumerate(answers)],
        }
        yield annotation, truth if rng.random() < 0.6 else rng.choice(others)


def truths(kind, words, rng):
    if kind == "yes/no":
        return rng.choice([("yes", ["no", "yes", "maybe"]), ("no", ["yes", "no", "unsure"])])
    if kind == "number":
        return str(rng.randrange(12)), ["one", "two", "3", "4", "none", "lots", "1,000", str(rng.randrange(90))]
    frequent = [words[min(int(rng.paretovariate(0.7)), len(words) - 1)] for _ in range(4)]
    return frequent[0], [*frequent, f"{frequent[1]} {frequent[2]}", rng.choice(words)]


def dressed(answer, rng):
    dress = rng.random()
    if dress < 0.80:
        return answer
    return rng.choice(("{}.", "the {}", "a {}", "{}, {}", "{}-{}", "{}/{}", "it's {}", "({})")).format(answer, answer)


class Peer:
    """The official evaluator's algorithm, question by question."""

    def __init__(self) -> None:
        data = resource("answers/normalisation.yaml")
        self.marks, self.articles = list(data["punctuation"]), data["articles"]
        self.numbers, self.contractions = dict(data["numbers"]), data["contractions"]
        self.period = re.compile(r"(?!<=\d)(\.)(?!\d)")
        self.comma = re.compile(r"(\d)(\,)(\d)")

    def evaluate(self, annotations, predictions):
        truth = {a["question_id"]: a for a in copy.deepcopy(annotations)}
        overall, by_answer_type, by_question_type = [], {}, {}
        for question_id, annotation in truth.items():
            for person in annotation["answers"]:
                person["answer"] = person["answer"].replace("\n", " ").replace("\t", " ").strip()
            said = predictions[question_id].replace("\n", " ").replace("\t", " ").strip()
            if len({person["answer"] for person in annotation["answers"]}) > 1:
                for person in annotation["answers"]:
                    person["answer"] = self.words(self.punctuation(person["answer"]))
                said = self.words(self.punctuation(said))
            accuracies = []
            for left_out in annotation["answers"]:
                others = [person for person in annotation["answers"] if person != left_out]
                matching = [person for person in others if person["answer"] == said]
                accuracies.append(min(1, len(matching) / 3))
            value = sum(accuracies) / len(accuracies)
            overall.append(value)
            by_answer_type.setdefault(annotation["answer_type"], []).append(value)
            by_question_type.setdefault(annotation["question_type"], []).append(value)
        percent = lambda values: round(100 * sum(values) / len(values), 2)  # noqa: E731
        return {
            "overall": percent(overall),
            "answer_type": {k: percent(v) for k, v in by_answer_type.items()},
            "question_type": {k: percent(v) for k, v in by_question_type.items()},
        }

    def punctuation(self, text):
        out = text
        for mark in self.marks:
            if (mark + " " in text or " " + mark in text) or re.search(self.comma, text) is not None:
                out = out.replace(mark, "")
            else:
                out = out.replace(mark, " ")
        return self.period.sub("", out, count=32)

    def words(self, text):
        out = []
        for word in text.lower().split():
            word = self.numbers.setdefault(word, word)
            if word not in self.articles:
                out.append(word)
        for place, word in enumerate(out):
            if word in self.contractions:
                out[place] = self.contractions[word]
        return " ".join(out)


if __name__ == "__main__":
    main()
