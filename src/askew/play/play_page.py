"""The HTML pages of the playground: choose an image, ask a question, see the answers. They work without JavaScript.

The steps of a module network are SVG figures: the image with its regions, the words read, the weights of the modules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from askew.errors import plural
from askew.metrics.correct import judged
from askew.play.image_figures import look_section, step_figure, steps_legend
from askew.play.occlusion import SIDE
from askew.play.playground import (
    ATTACKS,
    BUDGET,
    CHOSEN,
    FAILURES,
    Playground,
    Trial,
    TriedSuite,
    TriedVariant,
    offered_suites,
)
from askew.play.trial_outcomes import expected_answer
from askew.report.markup import Html, details, el, join
from askew.report.pair_viewer import word_diff
from askew.types import AttentionStep, Expect, Prediction, Question

OUTCOMES = {
    "held": ("✓", "stays correct"),
    "broke": ("✗", "breaks: correct, then wrong"),
    "fixed": ("↑", "wrong, then correct"),
    "wrong": ("–", "wrong both times"),
    "failed": ("!", "no answer"),
    "same": ("=", "same answer"),
    "changed": ("≠", "changed"),
    "agrees": ("=", "agrees with its answer"),
    "contradicts": ("≠", "contradicts its answer"),
    "unknown": ("?", "cannot be judged"),
}
"""A symbol and words for each effect that a change can have on an answer."""
EXPECTS = {
    Expect.SAME: "the same answer",
    Expect.DIFFERENT: "another answer",
    Expect.GIVEN: "",
    Expect.NOISE: "the same answer",
    Expect.ABSTAIN: "that it cannot be answered",
}
SOURCES = {
    "you": "The answer you expect",
    "data": "What people answered",
    "scene": "What the image shows",
    "model": "No correct answer is known, so variants only show whether an answer stays the same. The first model said",
    "": "No correct answer is known",
}


@dataclass(frozen=True)
class PlayPage:
    """Renders the pages of one playground; ``token`` proves that a form was sent from them."""

    ground: Playground
    token: str
    output: str
    """The file that failures are saved to."""

    def start(self, key: str = "", message: str = "", problem: str = "") -> str:
        """The page with the form for a question."""
        key = key if self.ground.image(key) else next(iter({**self.ground.images, **self.ground.uploads}), "")
        return self._whole(self._ask(key, CHOSEN), message, problem, key)

    def trial(self, trial: Trial, message: str = "") -> str:
        """The page of a trial: the same form, with the answers below."""
        form = self._ask(trial.image, trial.chosen, trial.question.text, trial.expected)
        return self._whole(join(form, self._results(trial)), message, "", trial.image)

    def _whole(self, main: Html, message: str, problem: str, key: str) -> str:
        names = ", ".join(model.name for model in self.ground.models)
        head = join(
            el("meta", charset="utf-8"),
            el("meta", name="viewport", content="width=device-width, initial-scale=1"),
            el("title", "askew play"),
            el("link", rel="stylesheet", href="/play.css"),
            el("script", src="/play.js", defer=True),
        )
        said = el("p", message, class_="message", role="status") if message else None
        wrong = el("p", problem, class_="problem", role="alert") if problem else None
        body = el(
            "body",
            el("a", "Skip to the question", href="#question", class_="skip"),
            el("header", el("h1", "askew play"), el("p", f"{names} · {self.ground.data.spec}", class_="quiet")),
            el("main", wrong, said, main),
            self._picker(key),
            el("footer", el("p", "Enter asks; / goes to the question; drop an image anywhere to ask about it.")),
        )
        return "<!doctype html>" + el("html", el("head", head), body, lang="en")

    def _picker(self, chosen: str) -> Html:
        shown = {**self.ground.uploads, **self.ground.images}
        links = [
            el(
                "a",
                el("img", src=f"/thumb/{key}", alt=f"Image {one.ref.id}", width=96, height=72, loading="lazy"),
                href="/?" + urlencode({"image": key}),
                aria_current="true" if key == chosen else None,
            )
            for key, one in shown.items()
        ]
        upload = el(
            "form",
            self._token_field(),
            el("label", "Your own image", el("input", type="file", name="file", accept="image/*", required=True)),
            el("button", "Use it", type="submit"),
            method="post",
            action="/upload",
            enctype="multipart/form-data",
            id="upload",
        )
        none = None if links else el("p", "The data has no images whose files are here. Give one of your own.")
        nav = el("nav", *links, class_="thumbs", aria_label="Images to choose from")
        return el("aside", el("h2", "Images", id="images"), upload, none, nav, aria_label="Images")

    def _ask(self, key: str, chosen: Sequence[str], text: str = "", expected: str = "") -> Html:
        shown = self.ground.image(key)
        if shown is None:
            return el("p", "Choose an image below, or give one of your own.")
        boxes = [
            el(
                "label",
                el("input", type="checkbox", name="suite", value=spec, checked=spec in chosen),
                el("span", el("b", spec.partition(":")[0]), " ", what),
            )
            for spec, what in offered_suites().items()
        ]
        asked = list(dict.fromkeys(question.text for question in shown.questions))
        form = el(
            "form",
            self._token_field(),
            el("input", type="hidden", name="image", value=key),
            el("label", "Question", for_="question"),
            _field("question", text, required=True, autofocus=not text, list="known", maxlength=500),
            el("datalist", *(el("option", value=one) for one in asked), id="known"),
            el("label", "Answer you expect (optional)", for_="expected"),
            _field("expected", expected, maxlength=200),
            el("fieldset", el("legend", "Change it with"), *boxes),
            el("button", "Ask", type="submit", class_="first"),
            el("span", "Asking …", class_="busy", role="status", hidden=True),
            method="post",
            action="/ask",
            id="ask",
        )
        names = ["Your image" if shown.uploaded else f"Image {ref.id}" for ref in shown.refs]
        several = len(names) > 1
        image = el(
            "div",
            *(
                join(
                    el("img", src=_address(f"/image/{key}", place), alt=name, class_="big"),
                    el("p", f"<image {place + 1}>: {name}", class_="quiet") if several else None,
                )
                for place, name in enumerate(names)
            ),
            el("a", "Choose another image", href="#images", class_="to-images"),
        )
        return el("section", image, join(form, self._known(key, asked)), class_="ask", aria_label="Ask")

    def _known(self, key: str, asked: Sequence[str]) -> Html | None:
        """The data's questions about the image, each as a button that asks it."""
        if not asked:
            return None
        forms = [
            el(
                "form",
                self._token_field(),
                el("input", type="hidden", name="image", value=key),
                *(el("input", type="hidden", name="suite", value=spec) for spec in CHOSEN),
                el("button", text, name="question", value=text, type="submit"),
                method="post",
                action="/ask",
            )
            for text in asked[:8]
        ]
        return details("Questions of the data about this image", el("div", *forms, class_="known"))

    def _results(self, trial: Trial) -> Html:
        models = [model.name for model in self.ground.models]
        rows = [
            el(
                "tr",
                el("th", name, scope="row"),
                el("td", _answer_text(answer)),
                el("td", _correctness(trial, answer)),
                el("td", "—" if answer.score is None else f"{answer.score:.0%}"),
            )
            for name, answer in zip(models, trial.answers, strict=True)
        ]
        correct = expected_answer(trial.question)
        source = SOURCES[trial.source] + (f": “{correct}”." if correct else ".")
        head = el("tr", *(el("th", text, scope="col") for text in ("Model", "Answer", "Correct", "Confidence")))
        answers = el("table", el("caption", "Answers", class_="hidden"), el("thead", head), el("tbody", *rows))
        return el(
            "section",
            el("h2", f"“{trial.question.text}”", tabindex=-1, id="answer"),
            el("div", answers, class_="scroll", tabindex=0, role="region", aria_label="Answers"),
            el("p", source, class_="quiet"),
            *self._steps(trial.steps, f"/image/{trial.image}", trial.question),
            el("h2", "The same question, changed"),
            *(self._suite(trial, at, suite) for at, suite in enumerate(trial.suites)),
            self._attack(trial),
            self._look(trial),
            self._share(trial),
            class_="found",
            aria_label="Results",
        )

    def _suite(self, trial: Trial, place: int, suite: TriedSuite) -> Html:
        broke = sum(bool(FAILURES.intersection(one.outcomes)) for one in suite.variants)
        breaks = f"break{'s' * (broke == 1)} a model"
        if not all(one.known for one in suite.variants):
            breaks = f"change{'s' * (broke == 1)} an answer"
        count = f"{plural(len(suite.variants), 'variant')}, {broke} {breaks}"
        tried = [self._variant(trial, place, at, one) for at, one in enumerate(suite.variants)]
        more = el("p", f"{suite.left_out} more variants were left out.", class_="quiet") if suite.left_out else None
        reasons = el("ul", *(el("li", reason) for reason in suite.reasons), class_="reasons") if suite.reasons else None
        title = el("h3", suite.title, el("small", f" {suite.spec.partition(':')[0]} · {count}"))
        why = el("p", "Not changed, because:", class_="quiet") if reasons else None
        return el("section", title, *tried, more, why, reasons, class_="suite", id=f"suite-{place}")

    def _share(self, trial: Trial) -> Html | None:
        """The link to the trial as a file of groups; None if there is nothing to share, or nobody knows the answer."""
        number = sum(len(suite.variants) for suite in trial.suites)
        if not number or trial.source == "model":
            return None
        run, play = (el("code", f"askew {verb} --data groups.jsonl") for verb in ("run", "play"))
        return el(
            "section",
            el("h3", "Share this question"),
            el("p", el("a", f"Download it with {plural(number, 'variant')}", href=f"/trial/{trial.number}/groups.zip")),
            el(
                "p", "A ZIP file of groups.jsonl and the images, for anybody's ", run, " or ", play, ".", class_="quiet"
            ),
            class_="suite",
        )

    def _attack(self, trial: Trial) -> Html:
        """The form that starts an attack."""
        recipes = el("select", *(el("option", option) for option in ATTACKS), name="attack")
        chosen = el("label", "Reword it by ", recipes), el("label", " until it fools ", self._models())
        cost = f" asks the model up to {BUDGET} times"
        return self._costly(trial, "/attack", "Attack the question", chosen, "Attack", cost)

    def _look(self, trial: Trial) -> Html:
        """What was found by hiding parts of the image, and the form that does it."""
        chosen = (el("label", "Hide one part of the image after the other from ", self._models()),)
        cost = f" asks the model {SIDE * SIDE} times"
        form = self._costly(trial, "/look", "Which part of the image does the answer need?", chosen, "Hide", cost)
        size = (trial.question.image and trial.question.image.size) or (1, 1)
        image = f"/image/{trial.image}"
        return join(*(look_section(at, look, image, size) for at, look in enumerate(trial.looks)), form)

    def _models(self) -> Html:
        return el("select", *(el("option", model.name) for model in self.ground.models), name="model")

    def _costly(self, trial: Trial, action: str, heading: str, chosen: Sequence[Html], button: str, cost: str) -> Html:
        """A form that asks a model many times: it never starts by itself."""
        return el(
            "form",
            self._token_field(),
            el("input", type="hidden", name="trial", value=trial.number),
            el("h3", heading),
            *chosen,
            el("button", button, type="submit"),
            el("span", cost, class_="quiet"),
            el("span", " Asking …", class_="busy", role="status", hidden=True),
            method="post",
            action=action,
            class_="attack",
        )

    def _variant(self, trial: Trial, place: int, at: int, tried: TriedVariant) -> Html:
        variant = tried.variant
        old, new = word_diff(tried.original.text, variant.question.text)
        pieces = [
            join(" " if text[:1].isspace() else "", el("ins", text.strip())) if changed else join(text)
            for text, changed in new
        ]
        removed = [el("del", text.strip()) for text, changed in old if changed]
        is_own_pair = tried.original != trial.question
        above = deletions = None
        if is_own_pair:
            above = el("p", f"First: {tried.original.text}", class_="quiet")
        elif removed:
            deletions = el("p", "without: ", *(join(one, " ") for one in removed), class_="quiet")
        address = f"/trial/{trial.number}/{place}/{at}"
        changed = [
            el(
                "img",
                src=_address(address, at),
                alt=f"The image changed by {variant.made_by}",
                width=160,
                loading="lazy",
            )
            for at in tried.changed_images
        ]
        image = el("div", *changed) if len(changed) > 1 else changed[0] if changed else None
        correct = expected_answer(variant.question)
        wanted = f"“{correct}”" if correct else EXPECTS[variant.expect]
        if not tried.known:
            given = f"“{correct}”, if the first answer is right"
            wanted = given if variant.expect is Expect.GIVEN else EXPECTS[variant.expect]
        names = [model.name for model in self.ground.models]
        answers = [
            el(
                "li",
                _mark(outcome),
                f" {name}: ",
                join(_answer_text(before), " → ") if is_own_pair else None,
                _answer_text(answer),
            )
            for name, outcome, before, answer in zip(names, tried.outcomes, tried.before, tried.answers, strict=True)
        ]
        return el(
            "article",
            image,
            el(
                "div",
                above,
                el("p", *pieces, class_="text"),
                deletions,
                el("ul", *answers, class_="answers"),
                el("p", f"expected: {wanted} · {variant.test} · {variant.made_by}", class_="quiet"),
                *self._steps(tried.steps, address if image else f"/image/{trial.image}", variant.question),
                self._save(trial, place, at) if FAILURES.intersection(tried.outcomes) else None,
            ),
            class_="variant broke" if "broke" in tried.outcomes else "variant",
        )

    def _save(self, trial: Trial, place: int, at: int) -> Html:
        if trial.source == "model":
            return el("p", "To save this as a failure, type the answer you expect and ask again.", class_="quiet")
        return el(
            "form",
            self._token_field(),
            el("input", type="hidden", name="trial", value=trial.number),
            el("input", type="hidden", name="suite", value=place),
            el("input", type="hidden", name="variant", value=at),
            el("button", "Save this failure", type="submit"),
            el("span", f" to {self.output}", class_="quiet"),
            method="post",
            action="/save",
        )

    def _steps(self, steps: Sequence[Sequence[AttentionStep]], image: str, question: Question) -> Iterator[Html]:
        size = (question.image and question.image.size) or (1, 1)
        for model, of_model in zip(self.ground.models, steps, strict=False):
            if of_model:
                figures = (step_figure(number, step, image, size) for number, step in enumerate(of_model, 1))
                yield details(
                    f"How {model.name} got there, step by step", steps_legend(), el("div", *figures, class_="steps")
                )

    def _token_field(self) -> Html:
        return el("input", type="hidden", name="token", value=self.token)


def _address(image: str, place: int) -> str:
    """The address of one of several images.

    >>> _address("/image/3", 0), _address("/image/3", 1)
    ('/image/3', '/image/3/2')
    """
    return f"{image}/{place + 1}" if place else image


def _field(name: str, value: str, **more: str | int | bool) -> Html:
    return el("input", type="text", id=name, name=name, value=value, autocomplete="off", **more)


def _mark(outcome: str) -> Html:
    sign, words = OUTCOMES[outcome]
    return el("span", f"{sign} {words}", class_=f"mark {outcome}")


def _correctness(trial: Trial, answer: Prediction) -> Html:
    """A mark for a correct or an incorrect answer; a dash where the correct answer is unknown."""
    if trial.source in ("", "model") or answer.failed:
        return join("—")
    right = judged(trial.question, answer, None, "modal", "robust") == 1.0
    return el("span", "✓ correct" if right else "✗ wrong", class_="mark held" if right else "mark broke")


def _answer_text(answer: Prediction) -> Html:
    if answer.failed:
        return el("span", f"no answer ({answer.error})", class_="quiet")
    return el("q", answer.answer or "")
