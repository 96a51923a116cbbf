"""Any server with OpenAI's chat completions API, as a model: ``openai:MODEL``.

OpenAI itself, vLLM, SGLang, Ollama, llama.cpp and others that offer ``POST /v1/chat/completions`` with images.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

import orjson

from askew.answers.image_places import parts_of
from askew.errors import BadImage, BadOption, ModelError
from askew.files.images import check_image
from askew.models.endpoint.added_fields import AddedFields
from askew.models.endpoint.chat_reply import judge, prediction_from_reply, tokens_of_reply
from askew.models.endpoint.chat_request import Chat, EncodedImage, EncodedImages, image_tokens, scaled
from askew.models.endpoint.dispatch import Dispatcher, EndpointSettings, streamed
from askew.models.endpoint.http import Reply
from askew.models.endpoint.request_limits import Budget, price_of
from askew.models.endpoint.retry_policy import Completion
from askew.models.endpoint.secrets import LONG, NAMED, api_key, base_url, hide, keys_at_hand, secrets_in
from askew.types import ImageRef, Prediction, Question, TokenEstimate
from askew.verbs import Resolver

OFFICIAL = "https://api.openai.com/v1"
PROMPT = "{question} Answer with a single word or a short phrase."
_ANNOUNCED: set[str] = set()
_LATER = ("headers", "query", "logprobs")
"""Options that are in the signature only if they are given."""
_FIXED = ("model", "messages", "stream", "n")
_LEAST = {
    "max_answer_tokens": 1,
    "max_side": 1,
    "timeout": 0.001,
    "connect_timeout": 0.001,
    "concurrency": 1,
    "retries": 0,
    "backoff": 0.0,
}


@dataclass(frozen=True)
class OpenAI:
    """A model behind an OpenAI-compatible endpoint; the key is read from OPENAI_API_KEY or .env and never shown.

    >>> OpenAI("qwen", base_url="http://127.0.0.1:8000/v1/").base_url
    'http://127.0.0.1:8000/v1'
    """

    model: str
    base_url: str = ""
    """Default: OPENAI_BASE_URL, or OpenAI's own address. One from ``.env`` is used only with a key from there. Several,
    separated by commas, share the work; only the first is in the signature, since all must serve the same model."""
    prompt: str = PROMPT
    """``\\n`` as typed on a command line is a line break; in ``system`` too."""
    system: str = ""
    temperature: float | None = 0.0
    seed: int | None = None
    max_answer_tokens: int = 256
    """Maximum tokens of a reply, including thoughts; a longer one is cut off and counts as a failure."""
    max_side: int = 1024
    """Pixels; larger images are scaled down."""
    detail: Literal["", "auto", "low", "high"] = ""
    extra: str = ""
    """More fields of the request as JSON, e.g. ``{"reasoning_effort": "low"}``. Secrets in it are hidden."""
    headers: str = ""
    """More headers of each request as JSON, e.g. ``{"api-key": "$AZURE_API_KEY"}``: the value of a variable in the
    environment or ``.env``, which is never shown. One for a key replaces OPENAI_API_KEY. In the signature if given."""
    query: str = ""
    """Parameters after the address as JSON, e.g. ``{"api-version": "2024-10-21"}``; like ``headers``."""
    logprobs: bool = False
    """Ask for the log-probability of each token, so that answers have a score. In the signature only when true."""
    blind: bool = False
    """Send no images, to measure what language alone achieves."""
    timeout: float = field(default=120.0, repr=False, compare=False)
    """Seconds for one request."""
    connect_timeout: float = field(default=10.0, repr=False, compare=False)
    """Seconds to establish a connection, TLS included."""
    concurrency: int = field(default=64, repr=False, compare=False)
    """Maximum number of concurrent requests."""
    retries: int = field(default=8, repr=False, compare=False)
    backoff: float = field(default=0.5, repr=False, compare=False)
    """Longest first wait before a retry in seconds; it doubles with each further retry."""
    give_up: int = field(default=20, repr=False, compare=False)
    """Consecutive questions without an answer after which the run stops; 0 never stops."""
    max_calls: int | None = field(default=None, repr=False, compare=False)
    max_tokens: int | None = field(default=None, repr=False, compare=False)
    """Over all requests, read and written."""
    max_cost: float | None = field(default=None, repr=False, compare=False)
    prices: str = field(default="", repr=False, compare=False)
    """A YAML or JSON file ``{model: {read: 2.5, written: 10}}``, for a million tokens."""
    cap_field: Literal["auto", "max_tokens", "max_completion_tokens"] = field(default="auto", repr=False, compare=False)
    """The request field for ``max_answer_tokens``; OpenAI's own endpoint and other servers differ."""
    addresses: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The servers in ``base_url``."""
    added: AddedFields = field(init=False, repr=False, compare=False)
    """What ``headers`` and ``query`` say."""
    chat: Chat = field(init=False, repr=False, compare=False)
    budget: Budget = field(init=False, repr=False, compare=False)
    """Spent by this model so far."""
    images: EncodedImages = field(init=False, repr=False, compare=False)
    from_file: bool = field(init=False, repr=False, compare=False)
    """Whether the address was read from ``.env``."""
    resolve: Resolver | None = field(init=False, repr=False, compare=False, default=None)
    """Set by ``connecting``."""

    free_text: ClassVar[bool] = True
    """It answers in sentences; the short answer is extracted."""
    several_images: ClassVar[bool] = True
    """They are parts of the message, where the text places them."""

    def __post_init__(self) -> None:
        found, from_file = (self.base_url, False) if self.base_url else base_url()
        addresses = tuple(dict.fromkeys(map(_checked_url, (found or OFFICIAL).split(","))))
        base = ",".join(addresses)
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise BadOption(f"openai: {name}={getattr(self, name)} is less than {least}.")
        price = price_of(self.model, self.prices) if self.prices else None
        if self.max_cost is not None and price is None:
            raise BadOption("openai: max_cost needs prices=FILE, with the price of a million tokens of this model.")
        if from_file:
            api_key(from_file)  # raises for a wrong address before anything is prepared
        if from_file and base not in _ANNOUNCED:  # a file in this folder decides where questions and images are sent
            _ANNOUNCED.add(base)
            print(f"The file .env in this folder sets the endpoint: {base} (OPENAI_BASE_URL).", file=sys.stderr)
        values = {
            "base_url": base,
            "addresses": addresses,
            "added": AddedFields.of(self.headers, self.query),
            "from_file": from_file,
            "budget": Budget(self.max_calls, self.max_tokens, self.max_cost, price),
            "images": EncodedImages(self.max_side),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        object.__setattr__(
            self,
            "chat",
            Chat(
                self.prompt.replace("\\n", "\n"),
                self.system.replace("\\n", "\n"),
                self.detail,
                self.max_answer_tokens,
                self._fields(),
            ),
        )

    def __repr__(self) -> str:
        shown = {part.name: getattr(self, part.name) for part in fields(self) if part.repr}
        shown = {name: value for name, value in shown.items() if value or name not in _LATER} | {
            "base_url": self.addresses[0]
        }
        return self.hide(f"OpenAI({', '.join(f'{name}={value!r}' for name, value in shown.items())})")

    def hide(self, text: str) -> str:
        """The text (a spec, a command, a signature) without the key and without other secrets of requests."""
        named = hide(text, [*secrets_in(_checked_extra(self.extra)), *self.added.secrets()], NAMED)
        return hide(named, keys_at_hand(), LONG)

    @property
    def url(self) -> str:
        """The address that requests are sent to; with several, the first."""
        return f"{self.addresses[0]}/chat/completions"

    def connecting(self, resolve: Resolver) -> OpenAI:
        """The same model, which connects only to the addresses that ``resolve`` returns for its host."""
        if len({urlsplit(address).hostname for address in self.addresses}) > 1:
            raise BadOption("openai: base_url has several hosts, and a service asks one. Give the address of one.")
        model = copy.copy(self)
        object.__setattr__(model, "resolve", resolve)
        return model

    @property
    def opens_images(self) -> bool:
        """Whether every image file must exist."""
        return not self.blind

    def stream(self, questions: Sequence[Question]) -> Iterator[Prediction]:
        """One prediction per question, as they arrive. Answers are in the model's own words."""
        key = None if self.added.has_key else api_key(self.from_file)
        headers, query = self.added.resolved(self.from_file)
        if key is None and not self.added.has_key and OFFICIAL in self.addresses:
            raise ModelError(
                f"{OFFICIAL} needs a key: set OPENAI_API_KEY or put it into a file .env here. For a server of your "
                "own give base_url=http://HOST:PORT/v1."
            )
        settings = EndpointSettings(
            urls=tuple(f"{address}/chat/completions" for address in self.addresses),
            key=key,
            timeout=self.timeout,
            concurrency=self.concurrency,
            retries=self.retries,
            backoff=self.backoff,
            give_up=self.give_up,
            connect_timeout=self.connect_timeout,
            secrets=(*secrets_in(_checked_extra(self.extra)), *self.added.secrets()),
            headers=headers,
            query=query,
            resolve=self.resolve,
        )
        images = None if self.blind else self.images
        todo = list(questions)
        return streamed(lambda deliver: Dispatcher(self.chat, settings, self.budget, images, deliver).run(todo))

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """One prediction per question, in order."""
        numbered = [replace(question, id=place) for place, question in enumerate(questions)]
        predictions = {prediction.question_id: prediction for prediction in self.stream(numbered)}
        return [replace(predictions[place], question_id=question.id) for place, question in enumerate(questions)]

    def request(self, question: Question, image_urls: Sequence[str] = ()) -> bytes:
        """The JSON of the request for a question, e.g. for a line of a batch file."""
        if any(secrets_in(_checked_extra(self.extra))):
            raise BadOption("openai: extra has a secret, which batch files would show. Leave it out of extra.")
        if self.blind:
            return self.chat.body(question, ())
        if image_urls:
            return self.chat.body(question, [EncodedImage(orjson.dumps(url), (0, 0)) for url in image_urls])
        return self.chat.body(question, list(map(self.images.now, question.images)))

    def from_reply(self, status: int, body: bytes) -> Prediction:
        """The prediction in a reply; its tokens are those that the endpoint counted."""
        verdict = judge(Reply(status, {}, body), self.chat.wants_scores)
        if not isinstance(verdict, Completion):
            return Prediction(0, None, error=verdict.reason)
        prediction = prediction_from_reply(0, verdict.reply, self.max_answer_tokens)
        return replace(prediction, tokens=tokens_of_reply(verdict.reply, 0))

    def preview(self, question: Question) -> str:
        """The request for a question: its fields, the system prompt, and the message with the sizes of the images."""
        sizes = self._sizes(question)
        parts = [
            part if isinstance(part, str) else _image_line(sizes[part], self.detail)
            for part in parts_of(self.chat.words(question), len(sizes))
        ]
        system = f"system: {self.chat.system}\n" if self.chat.system else ""
        fields = orjson.dumps(self.chat.fields).decode()
        return self.hide(f"POST {self.url} {fields}\n{system}user: {''.join(parts)}")

    def price(self, read: int, written: int) -> float | None:
        """The cost of these tokens by the user's prices; None without prices."""
        return None if self.budget.price is None else self.budget.price.of(read, written)

    def estimate(self, questions: Iterable[Question]) -> TokenEstimate:
        """Calls and tokens for these questions, without sending anything."""
        calls = read = 0
        for question in questions:
            calls += 1
            read += self.chat.tokens(question, filter(None, self._sizes(question)))
        return TokenEstimate(calls, read, calls * self.max_answer_tokens)

    def _fields(self) -> dict[str, Any]:
        cap = self.cap_field
        if cap == "auto":
            cap = "max_completion_tokens" if self.addresses == (OFFICIAL,) else "max_tokens"
        chosen = {"model": self.model, "temperature": self.temperature, "seed": self.seed, cap: self.max_answer_tokens}
        # some servers send log-probabilities only if the likeliest tokens are requested too
        scores = {"logprobs": True, "top_logprobs": 1} if self.logprobs else {}
        return (
            {name: value for name, value in chosen.items() if value is not None} | scores | _checked_extra(self.extra)
        )

    def _sizes(self, question: Question) -> list[tuple[int, int] | None]:
        """The size of each image as it is sent; None for one that cannot be read."""
        return [] if self.blind else [self._size(image) for image in question.images]

    def _size(self, image: ImageRef) -> tuple[int, int] | None:
        try:
            return scaled(image.size or check_image(image), self.max_side)
        except BadImage:
            return None


def _image_line(size: tuple[int, int] | None, detail: str) -> str:
    if size is None:
        return "[image that cannot be read]\n"
    return f"[image of {size[0]} x {size[1]} pixels, about {image_tokens(size, detail)} tokens]\n"


def _checked_url(url: str) -> str:
    url = url.strip()
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid or not url.isascii() or not url.isprintable() or " " in url:
        raise BadOption("openai: base_url is not an address. Write it as http://HOST:PORT/v1.")
    if url.count("://") > 1:
        raise BadOption("openai: base_url has several addresses. Separate them by commas.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadOption(
            "openai: base_url has more than an address (a user, a key or a query). It is written to every result, so "
            "give it as http://HOST:PORT/v1 and put the key into OPENAI_API_KEY, or what follows the question mark "
            'into query={"name": "value"}.'
        )
    return url.rstrip("/")


def _checked_extra(extra: str) -> dict[str, Any]:
    try:
        added = orjson.loads(extra or "{}")
    except orjson.JSONDecodeError as trouble:
        raise BadOption(f"openai: extra is not JSON ({trouble}).") from None
    if not isinstance(added, dict) or any(name in added for name in _FIXED):
        raise BadOption(f"openai: extra must be a JSON object without {', '.join(_FIXED)}.")
    return added
