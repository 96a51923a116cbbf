"""What a reader must know besides the numbers, in sentences: coverage, few images, answers decided by their form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askew.errors import plural
from askew.report.table_formats import count
from askew.types import LEAST_IMAGES

MOST_DOUBTFUL = 0.1
"""The share of doubtful noes above which there is a warning."""
SHOWN_REASONS = 3
"""The number of reasons for refusals that a sentence names."""


def coverage_lines(suite: Mapping[str, Any], data: Mapping[str, Any]) -> list[str]:
    """A suite's coverage in sentences: how much of the data it asks, and whether it has too few images."""
    if made_nothing(suite):
        return [f"Warning: {nothing_sentence(suite, data)}"]
    alone = text_alone_sentence(suite.get("text_alone") or ())
    noise = label_noise_sentence(suite.get("label_noise") or ())
    return list(filter(None, (coverage_sentence(suite, data), few_images(suite), alone, noise, doubtful_noes(suite))))


def coverage_warnings(results: Mapping[str, Any]) -> Iterator[str]:
    """What makes the scores of a run doubtful: no groups, few images, doubtful noes, telling texts."""
    for suite in results["suites"]:
        for line in coverage_lines(suite, results.get("data") or {}):
            if line.startswith(("Warning: ", "Only ", "Label noise: ")) or "Far above that" in line:
                warning = line.removeprefix("Warning: ")
                yield warning if made_nothing(suite) else f"{suite['name']}: {warning}"


def doubtful_noes(suite: Mapping[str, Any]) -> str:
    """A warning if many answers *no* may only be due to incomplete scene graphs.

    >>> doubtful_noes({"coverage": [{"doubtful": [3, 9]}, {"doubtful": [0, 4]}, {"made": 1}]})
    'Warning: 3 of 16 noes (19%) are doubtful: no usual companion is annotated. Build with noes=sure.'
    """
    counts = [test["doubtful"] for test in suite.get("coverage") or () if test.get("doubtful")]
    doubtful, noes = sum(doubtful for doubtful, _ in counts), sum(doubtful + sure for doubtful, sure in counts)
    if not noes or doubtful / noes <= MOST_DOUBTFUL:
        return ""
    share = f"{count(doubtful)} of {count(noes)} noes ({doubtful / noes:.0%})"
    return f"Warning: {share} are doubtful: no usual companion is annotated. Build with noes=sure."


def coverage_sentence(suite: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """How much of the data a suite of results.json asks, and why not more.

    >>> tests = [{"test": "C", "matched": 9, "made": 4, "refused": {"people disagree": 3, "no such color": 2}}]
    >>> suite = {"name": "rad", "tests": ["C"], "groups": 4, "variants": 4, "images": 3, "coverage": tests}
    >>> coverage_sentence(suite, {"questions": 60, "counted": "question"})
    'Asks 4 of 60 questions on 3 images, 4 variants; refused: people disagree (3), no such color (2).'
    """
    groups, variants = suite.get("groups") or 0, suite.get("variants") or 0
    asked, total = asked_of(suite, data)
    text = f"{count(asked)} of {plural(total, 'question')}" if total else plural(groups, "group")
    if suite.get("images"):
        text += f" on {images_shown(suite)}"
    changed = suite.get("changed", groups)
    if suite.get("tests"):
        text += f", {plural(variants, 'variant')}" + (f" of {count(changed)} of them" if changed < groups else "")
    why = reasons(suite)
    return f"Asks {text}{f'; refused: {why}' if why else ''}."


def images_shown(suite: Mapping[str, Any]) -> str:
    """How many images a suite shows, and of how many its originals are, which are those that intervals count.

    >>> images_shown({"images": 949, "shown": 1898}), images_shown({"images": 3, "shown": 3})
    ('1,898 images (949 with the originals)', '3 images')
    """
    images = suite.get("images") or 0
    shown = suite.get("shown") or images
    return plural(shown, "image") + (f" ({count(images)} with the originals)" if shown > images else "")


def asked_of(suite: Mapping[str, Any], data: Mapping[str, Any]) -> tuple[int, int]:
    """How many questions the suite asks, and how many the data has; (0, 0) if the data is not questions."""
    groups, total = suite.get("groups"), data.get("questions") or 0
    if groups is None or data.get("counted", "question") != "question" or groups > total:
        return 0, 0
    return int(groups), int(total)


def reasons(suite: Mapping[str, Any], most: int = SHOWN_REASONS) -> str:
    """The most frequent reasons for refusals with their counts, over all tests."""
    found: Counter[str] = Counter()
    for test in suite.get("coverage") or ():
        found.update(test.get("refused") or {})
    text = [f"{reason} ({count(n)})" for reason, n in found.most_common(most)]
    others = sum(n for _, n in found.most_common()[most:])
    return ", ".join([*text, *([f"other reasons ({count(others)})"] if others else [])])


def made_nothing(suite: Mapping[str, Any]) -> bool:
    """Whether the suite made no group at all."""
    return suite.get("groups") == 0


def nothing_sentence(suite: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """The sentence for a suite that made no group.

    >>> tests = [{"test": "C", "refused": {"no scene graph": 60}}]
    >>> nothing_sentence({"name": "carets", "groups": 0, "coverage": tests}, {"questions": 60})
    'The suite carets made no group from 60 questions, so it has no score; refused: no scene graph (60).'
    """
    total = data.get("questions") or 0
    source = plural(total, str(data.get("counted", "question"))) if total else "this data"
    why = reasons(suite)
    text = f"refused: {why}" if why else "no question has the form that it changes"
    return f"The suite {suite['name']} made no group from {source}, so it has no score; {text}."


def few_images(suite: Mapping[str, Any]) -> str:
    """A warning if the suite has too few images for an interval, else an empty string.

    >>> few_images({"groups": 5, "images": 4})
    'Only 4 images: with fewer than 10, how far chance can move these numbers is unknown.'
    """
    images, groups = suite.get("images"), suite.get("groups")
    if not groups or images is None or (images or groups) >= LEAST_IMAGES:
        return ""
    only = plural(images, "image") if images else plural(groups, "question")
    return f"Only {only}: with fewer than {LEAST_IMAGES}, how far chance can move these numbers is unknown."


def text_alone_sentence(scores: Sequence[Mapping[str, Any]]) -> str:
    """The share of yes/no answers that a classifier of the text alone predicts, and tests far above the majority.

    >>> share = {"value": 0.56, "low": 0.54, "high": 0.58}
    >>> score = {"test": "C", "n": 900, "accuracy": share, "majority": 0.52, "far_above": False}
    >>> text_alone_sentence([score])
    'Text alone: 56.0 % of the yes/no answers (54.0–58.0; always the more frequent answer: 52.0 %).'
    >>> text_alone_sentence([score | {"far_above": True}])[-78:]
    'Far above that, so part of these scores may come from words alone: C (56.0 %).'
    >>> text_alone_sentence([score | {"test": "", "far_below": True}])[-57:]
    'Far below that: words occur as often with yes as with no.'
    """
    if not scores:
        return ""
    share = scores[0]["accuracy"]
    limits = "" if share.get("low") is None else f"{100 * share['low']:.1f}–{100 * share['high']:.1f}; "
    majority = f"always the more frequent answer: {100 * scores[0]['majority']:.1f} %"
    sentence = f"Text alone: {100 * share['value']:.1f} % of the yes/no answers ({limits}{majority})."
    tests = [test for test in scores[1:] or scores if test.get("far_above")]
    if not tests and scores[0].get("far_below"):
        return f"{sentence} Far below that: words occur as often with yes as with no."
    if not tests:
        return sentence
    far = ", ".join(f"{test['test']} ({100 * test['accuracy']['value']:.1f} %)" for test in tests if test["test"])
    named = f": {far}" if far else ""
    return f"{sentence} Far above that, so part of these scores may come from words alone{named}."


CEILING = (
    "Dotted: what true answers would reach on variants, and on pairs at most, given the wrong labels people found."
)
"""What a report says where it draws the ceiling."""


def label_ceiling(suite: Mapping[str, Any], test: str = "") -> float | None:
    """What true answers would reach on the variants of a test, by the labels people judged; None if they judged none.

    >>> label_ceiling({"label_noise": [{"test": "", "judged": 200, "share": {"value": 0.03}}]})
    0.97
    """
    judged = [one for one in suite.get("label_noise") or () if one["test"] == test and one["judged"]]
    return 1 - judged[0]["share"]["value"] if judged else None


def label_noise_sentence(noise: Sequence[Mapping[str, Any]]) -> str:
    """How many labels people found wrong, and what a model whose answers are all true would reach.

    >>> share = {"value": 0.031, "low": 0.014, "high": 0.065}
    >>> label_noise_sentence([{"test": "", "judged": 196, "unclear": 4, "share": share, "alpha": 0.71}])
    'Label noise: 3.1 % (1.4–6.5) of 196 labels judged by people are wrong, so true answers would score about 96.9 % \
(93.5–98.6). 4 were unclear. Agreement (alpha): 0.71.'
    """
    if not noise or not noise[0]["judged"]:
        return ""
    whole = noise[0]
    value, low, high = (100 * whole["share"][name] for name in ("value", "low", "high"))
    judged = plural(whole["judged"], "label judged by people is wrong", "labels judged by people are wrong")
    wrong = f"Label noise: {value:.1f} % ({low:.1f}–{high:.1f}) of {judged}"
    ceiling = f"so true answers would score about {100 - value:.1f} % ({100 - high:.1f}–{100 - low:.1f})"
    unclear = f" {plural(whole['unclear'], 'was unclear', 'were unclear')}." if whole["unclear"] else ""
    agreed = "" if whole["alpha"] is None else f" Agreement (alpha): {whole['alpha']:.2f}."
    return f"{wrong}, {ceiling}.{unclear}{agreed}"


SHOWN = 0.01
"""The least share of the answers for which a sentence is shown beside the numbers."""

_MEANINGS = {
    "no option": (
        "name no option, or several, and count as wrong",
        "the field raw of samples.jsonl has the replies.",
    ),
    "neither yes nor no": (
        "say neither yes nor no, and count as wrong",
        "the field raw of samples.jsonl has the replies.",
    ),
    "no number": (
        "give no single number, and are compared as they are",
        "the field raw of samples.jsonl has the replies.",
    ),
    "no short answer": (
        "are sentences in which no short answer was found, and are compared as they are",
        "the field raw of samples.jsonl has the replies.",
    ),
    "different answers": (
        "give different answers one after the other, of which the last counts",
        "the field raw of samples.jsonl has the replies.",
    ),
    "several answers": (
        "hold several answers, and are compared as they are",
        "the field raw of samples.jsonl has the replies.",
    ),
    "form missed": (
        "are wrong only because of case, punctuation, articles or number words",
        "--accuracy robust compares them after normalisation.",
    ),
    "extraction missed": (
        "are wrong only because of the words around them",
        "--extract short --accuracy robust extracts the answer.",
    ),
    "lost": (
        "would be correct as the model gave them, but are wrong as scored",
        "--extract none scores the words as they are.",
    ),
    "form counted": (
        "are correct only because case, punctuation, articles and number words are ignored",
        "--extract none --accuracy official scores the words as they are.",
    ),
    "extraction counted": (
        "are correct only because the answer is extracted from the words around it",
        "--extract none scores the words as they are.",
    ),
}
"""For each count its meaning, and the option that changes it or where to look."""
WRONG = ("form missed", "extraction missed", "lost")
"""Counts that make a score lower than the model deserves."""


def form_sentences(results: Mapping[str, Any], kinds: tuple[str, ...] = tuple(_MEANINGS)) -> list[str]:
    """A sentence for each way in which many answers are judged by their form.

    >>> forms = {"scored": 50, "counts": {"form missed": 20}, "examples": {"form missed": ["Yes.", "yes"]}}
    >>> form_sentences({"answer_forms": forms})[0][:87]
    '20 of 50 answers are wrong only because of case, punctuation, articles or number words '
    """
    forms = results.get("answer_forms") or {}
    scored, counts = forms.get("scored") or 0, forms.get("counts") or {}
    sentences = []
    for kind in kinds:
        number = counts.get(kind) or 0
        if number and number >= SHOWN * scored:
            reply, answer = (forms.get("examples") or {}).get(kind) or ("", "")
            what, option = _MEANINGS[kind]
            example = f' (e.g. "{reply}" for "{answer}")' if reply else ""
            sentences.append(f"{count(number)} of {plural(scored, 'answer')} {what}{example}; {option}")
    return sentences


def modes_sentence(runs: Mapping[str, Mapping[str, Any]]) -> str:
    """The sentence for runs, by name, whose answers were compared in different modes; empty if all modes agree.

    >>> modes_sentence({"xnm": {"suites": [{"accuracy": "official"}]}, "gpt": {"suites": [{"accuracy": "robust"}]}})
    'Answers were compared in different modes: xnm official; gpt robust. --accuracy robust scores all runs in one.'
    """
    used = {
        name: ", ".join(dict.fromkeys(str(suite["accuracy"]) for suite in results["suites"] if suite.get("accuracy")))
        for name, results in runs.items()
    }
    modes = {name: mode for name, mode in used.items() if mode}
    if len(set(modes.values())) < 2:
        return ""
    text = "; ".join(f"{name} {mode}" for name, mode in modes.items())
    return f"Answers were compared in different modes: {text}. --accuracy robust scores all runs in one."
