"""What happens when a request to an endpoint fails: whether it is repeated, after which pause, and when the run stops.

All of the policy is here, and nothing else: ``judge_error`` and the verdicts (what a failure means), ``jitter`` and
``retry_after`` (how long to wait), and ``RetryPolicy`` with the rules by which a run stops. No network and no clock.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from random import Random
from typing import Any, Literal, TypeAlias

from askew.errors import InARow
from askew.types import Prediction

_RETRIED = {408, 409, 425, 429}
_LOGPROBS = {"logprobs", "top_logprobs"}
_PARAMETERS = {
    "temperature",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "model",
    "reasoning_effort",
    "detail",
    *_LOGPROBS,
}
"""Parameters that are the same in every request: an error about one affects all."""
_REMEDIES = {
    401: "Set OPENAI_API_KEY (or put it into .env) to a key that this endpoint accepts.",
    402: "Add credit to the account; the same command then resumes.",
    403: "The key may not use this model or endpoint: use another key, or ask whoever runs the endpoint.",
    404: "Check the model's name and base_url (most end in /v1).",
    405: "Check base_url (most end in /v1).",
    410: "Check the model's name: the endpoint has it no more.",
    501: "Check base_url: this server does not offer chat completions.",
    505: "Let the server or a proxy before it speak HTTP/1.1.",
}
_PARAMETER_REMEDIES = {
    "temperature": "Leave it out with temperature=none.",
    "seed": "Leave it out with seed=none.",
    "max_tokens": "Use cap_field=max_completion_tokens.",
    "max_completion_tokens": "Use cap_field=max_tokens.",
    "model": "Check the model's name.",
    **dict.fromkeys(_LOGPROBS, "Leave out logprobs=true: answers then have no score."),
}
_IMAGES = re.compile(r"image|picture|pixel|base64", re.I)
_TOO_LARGE = re.compile(r"too (large|big|long|high)|exceed|larger than|greater than|maximum|\bmax\b", re.I)
_CONTEXT = re.compile(r"context (length|window)|maximum model length|longer than the max|prompt is too long", re.I)
STILL_THINKING = "still thinking"
"""How errors of this kind begin: there are thoughts, but no answer after them."""
_SEVERAL = 5
"""A run stops after this many replies that are thoughts without an answer, if they are at least half of all."""
_THINKING_REMEDY = (
    "Raise max_answer_tokens (thinking takes 1,000 tokens and more), or switch thinking off: with "
    'extra={"chat_template_kwargs": {"enable_thinking": false}} (vLLM, SGLang, llama.cpp) or '
    'extra={"reasoning_effort": "low"} (OpenAI).'
)
BROKEN = 8
"""Broken replies before the first answer, each after the one before, after which the run stops."""
UNREACHED = 3
"""Failed connections after which the run stops, while no reply has ever arrived."""
LONGEST_WAIT = 600.0
"""Seconds; an endpoint that asks for a longer wait stops the run, which the same command resumes later."""
LONGEST = 30.0
"""Seconds; the longest wait that the server did not ask for."""
YEAR = 366 * 86400.0
"""Seconds; longer waits are reduced to this."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The reply has a completion."""

    reply: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Retry:
    """The request may succeed when repeated."""

    reason: str
    overload: bool = True
    """True when the server is overloaded, False when only this reply is broken."""
    after: float | None = None
    """Seconds the server asks the client to wait."""
    silent: bool = False
    """True when nothing arrived before the timeout."""


@dataclass(frozen=True, slots=True)
class Failed:
    """This question cannot be answered; others may be."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """No question can be answered until the user fixes something."""

    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Instead:
    """The endpoint wants the request in another form; without it, the verdict is ``otherwise``."""

    form: Form
    otherwise: Failed | Stop

    @property
    def reason(self) -> str:
        """What the endpoint said."""
        return self.otherwise.reason


Form: TypeAlias = Literal["stream", "no stream options", "smaller images"]
Verdict: TypeAlias = Completion | Retry | Failed | Stop | Instead


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """What an endpoint says about an error."""

    message: str = ""
    code: str = ""
    parameter: str = ""


def judge_error(status: int, reason: str, error: ErrorReply, after: float | None, wants_scores: bool) -> Verdict:
    """Whether a reply with this error is retried, repeated in another form, fails one question, or stops the run."""
    final = _judge_status(status, reason, error, after, wants_scores)
    if isinstance(final, Retry) or status in (401, 402, 403):
        return final
    form = _other_form(status, error)
    return Instead(form, final) if form else final


def _other_form(status: int, error: ErrorReply) -> Form | None:
    """The form in which the endpoint wants the request, by its error.

    >>> _other_form(400, ErrorReply("Stream must be set to true")), _other_form(400, ErrorReply("image too small"))
    ('stream', None)
    """
    if "stream_options" in error.message or error.parameter == "stream_options":
        return "no stream options"
    if re.search(r"(?<![a-z])(non-?)?stream(ing|ed)?(?![a-z])", error.message, re.I) or error.parameter == "stream":
        return "stream"
    if status == 413 or (_IMAGES.search(error.message) and _TOO_LARGE.search(error.message)):
        return "smaller images"
    return "smaller images" if _CONTEXT.search(error.message) else None


def _judge_status(
    status: int, reason: str, error: ErrorReply, after: float | None, wants_scores: bool
) -> Retry | Failed | Stop:
    if error.code == "insufficient_quota":
        return Stop(reason, _REMEDIES[402])
    if wants_scores and status not in _RETRIED and "logprobs" in error.message:
        return Stop(reason, _PARAMETER_REMEDIES["logprobs"])
    if status in _RETRIED or (status >= 500 and status not in _REMEDIES):
        return Retry(reason, after=after)
    if error.parameter in _PARAMETERS:
        return Stop(reason, _PARAMETER_REMEDIES.get(error.parameter, "Leave that option out."))
    if status in _REMEDIES:
        return Stop(reason, _REMEDIES[status])
    if 300 <= status < 400 or status < 200:
        return Stop(reason, "Check base_url: the endpoint points elsewhere.")
    return Failed(reason)


@dataclass
class RetryPolicy:
    """The decisions in one round of questions. A rule of stopping is a method that returns why, or None."""

    retries: int
    backoff: float
    give_up: int
    """Consecutive questions without an answer after which the run stops; 0 switches off all rules that count."""
    timeout: float
    rng: Random = field(default_factory=Random)
    """Only for wait times; no answer depends on it."""
    answered: bool = False
    heard: bool = False
    """Whether any reply has arrived."""
    count: int = 0
    """Completions."""
    thoughts: int = 0
    """Completions that are thoughts without an answer."""
    scored: bool = False
    """Whether any answer had a score."""

    def __post_init__(self) -> None:
        self.unreached = InARow(
            UNREACHED if self.give_up else 0,
            "Start the server, or check base_url (http:// if it has no TLS) and proxies; connect_timeout=... waits "
            "longer for a connection, give_up=0 never stops.",
        )
        """Failed connections before the first reply."""
        self.unanswered = InARow(
            self.give_up,
            "{count} questions in a row got no answer; the last: {last}. Answers are kept; the same command resumes "
            "once the endpoint answers (give_up=0 never stops).",
        )
        self.silences = InARow(
            max(self.give_up, 2 * (self.retries + 1)) if self.give_up else 0,
            f"{{count}} requests in a row got no reply within {self.timeout:g} s. Earlier answers are kept; the same "
            "command resumes once the endpoint answers (timeout=... waits longer, give_up=0 never stops).",
        )
        """Requests without any reply, each sent after the one before; concurrent ones count once."""
        self.faults = InARow(self.give_up, "{count} requests in a row failed; the last: {last}")
        """Faults of one of several servers."""
        self.broken = InARow(
            BROKEN if self.give_up else 0,
            "{last}. {count} such replies in a row: check base_url (most end in /v1; give_up=0 never stops).",
        )
        """Broken replies before the first answer."""

    def repeats(self, verdict: Verdict, tries: int) -> bool:
        """Whether to send the request again after this many tries."""
        return isinstance(verdict, Retry) and tries <= self.retries

    def pause(self, verdict: Retry, tries: int) -> float:
        """Seconds to wait before that."""
        return jitter(self.backoff, tries, self.rng) + (verdict.after or 0.0)

    def on_unreachable(self, reason: str, silent: bool) -> Verdict:
        """While no reply has ever arrived, a few failed connections mean that the address is wrong."""
        remedy = None if self.heard else self.unreached.told("no connection")
        return Stop(reason, remedy) if remedy else Retry(reason, silent=silent)

    def on_unusable(self, reason: str) -> Verdict:
        """Until the first answer, a server that speaks something else is not the one that was meant."""
        if self.answered or not self.give_up:
            return Retry(f"connection: {reason}")
        what, _, remedy = reason.partition(". ")
        return Stop(f"connection: {what}", remedy)

    @property
    def streaks(self) -> tuple[int, int]:
        """How many requests in a row were silent, and broken; concurrent ones count once."""
        return self.silences.count, self.broken.count

    def on_verdict(self, verdict: Verdict, before: tuple[int, int]) -> str | None:
        """Stop if the endpoint stays silent, sends only broken replies, or asks for a very long wait. ``before``: the
        streaks when the request was sent.

        One request at a time, retrying every question of a silent endpoint would take a day.
        """
        silent = isinstance(verdict, Retry) and verdict.silent
        counts = not silent or before[0] == self.silences.count
        if counts and (reason := self.silences.told("no reply" if silent else "")):
            return reason
        broken = verdict.reason if isinstance(verdict, Retry) and not verdict.overload and not self.answered else ""
        counts = not broken or before[1] == self.broken.count
        if counts and (reason := self.broken.told("broken" if broken else "", broken)):
            return reason
        if isinstance(verdict, Retry) and verdict.overload and (verdict.after or 0) > LONGEST_WAIT:
            return (
                f"{verdict.reason}; the endpoint asks to wait {verdict.after:,.0f} s. Every answer is kept; run the "
                "same command again then."
            )
        return None

    def on_fault(self, verdict: Verdict) -> str | None:
        """A reason to send nothing more to one of several servers: only faults, other than too many requests."""
        fault = verdict.reason if isinstance(verdict, Retry) and not verdict.reason.startswith("http 429") else ""
        return self.faults.told("fault" if fault else "", fault)

    def on_failure(self, verdict: Retry | Failed, reason: str) -> str | None:
        """Stop after many questions in a row without an answer."""
        if isinstance(verdict, Failed) and self.answered:  # the fault of this question
            return None
        return self.unanswered.told("no answer", reason)

    def on_completion(self, prediction: Prediction, wants_scores: bool) -> str | None:
        """Stop if replies are thoughts without answers, or if answers have no score though the run asks for scores."""
        self.unanswered.told("")
        self.answered = True
        thinking = (prediction.error or "").startswith(STILL_THINKING)
        self.count += 1
        self.thoughts += thinking
        self.scored = self.scored or prediction.score is not None
        if self.give_up and thinking and self.thoughts >= max(_SEVERAL, self.count / 2):
            return (
                f"{self.thoughts} of {self.count} replies have no answer; the last: {prediction.error}. "
                f"{_THINKING_REMEDY} Answers are kept (give_up=0 never stops)."
            )
        if wants_scores and not prediction.failed and not self.scored:
            return (
                "the endpoint was asked for log-probabilities (logprobs=true) and sent none for the answer. Leave out "
                "logprobs=true: answers then have no score."
            )
        return None


def jitter(first: float, failed: int, rng: Random) -> float:
    """Full jitter: uniform between 0 and a bound that doubles with each failed try.

    Clients that failed together thus do not return together. Only timing depends on it.

    >>> all(0 <= jitter(0.5, 3, Random(seed)) <= 2.0 for seed in range(99))
    True
    """
    return rng.uniform(0.0, min(LONGEST, first * 2.0 ** min(failed - 1, 16)))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a reply asks the client to wait: ``Retry-After`` as a number or a date, or ``retry-after-ms``.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (7.0, 0.25, None)
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> retry_after({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, noon)
    30.0
    >>> retry_after({"retry-after": "soon"}), retry_after({"retry-after": "Thu, 01 Jan 2026 12:00:30 +99999999"})
    (None, None)
    """
    if (milliseconds := _duration(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    if (seconds := _duration(value)) is not None:
        return seconds
    try:
        date = parsedate_to_datetime(value)
        if date.tzinfo is None:
            date = date.replace(tzinfo=timezone.utc)
        left = (date - (now or datetime.now(timezone.utc))).total_seconds()
    except (TypeError, ValueError, IndexError, OverflowError):  # an impossible date, time or zone
        return None
    return min(max(0.0, left), YEAR)


def _duration(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return min(value, YEAR) if 0 <= value < float("inf") else None
