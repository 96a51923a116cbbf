"""Headers and query parameters that a user adds to each request, with values from the environment.

Azure takes its key in the header ``api-key`` and its version in the parameter ``api-version``; gateways have others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import orjson

from askew.errors import BadOption, ModelError
from askew.models.endpoint.secrets import from_environment, names_secret, secrets_in

_FIXED = ("host", "content-length", "content-type", "transfer-encoding", "connection", "accept-encoding", "expect")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class AddedFields:
    """What a user adds to each request; values may name variables of the environment.

    >>> added = AddedFields.of('{"api-key": "$AZURE_API_KEY"}', '{"api-version": "2024-10-21"}')
    >>> added.has_key, added.variables
    (True, ['AZURE_API_KEY'])
    """

    headers: Mapping[str, str]
    query: Mapping[str, str]

    @classmethod
    def of(cls, headers: str, query: str) -> AddedFields:
        """From the JSON of the options."""
        found = cls(_texts("headers", headers), _texts("query", query))
        for name, value in found.headers.items():
            if not _HEADER.fullmatch(name) or name.lower() in _FIXED:
                raise BadOption(f"openai: headers has {name[:40]!r}, which is not a header that can be set.")
            if not (value.isascii() and value.isprintable()):
                raise BadOption(f"openai: the header {name} has characters that headers cannot have (not shown here).")
        return found

    @property
    def has_key(self) -> bool:
        """Whether a key is among the headers or parameters, so that OPENAI_API_KEY is not sent."""
        return any(map(names_secret, (*self.headers, *self.query)))

    @property
    def variables(self) -> list[str]:
        """The variables that values name."""
        return [match[1] or match[2] for value in self._values() for match in _VARIABLE.finditer(value)]

    def secrets(self) -> Iterator[str]:
        """What must not be shown: values of variables, and values under names of secrets."""
        for name in self.variables:
            yield from filter(None, (from_environment(name, from_file) for from_file in (False, True)))
        for fields in (self.headers, self.query):
            yield from (text for text in secrets_in(dict(fields)) if not _VARIABLE.fullmatch(text))

    def resolved(self, address_from_file: bool) -> tuple[dict[str, str], str]:
        """Headers and query with the values of variables; from ``.env`` alone if the address is from there."""
        values: dict[str, str] = {}
        for name in self.variables:
            value = from_environment(name, address_from_file)
            if value is None:
                where = "the file .env, where the address is from" if address_from_file else "the environment or .env"
                raise ModelError(f"headers or query name ${name}, which is not set in {where}. Set it there.")
            if not (value.isascii() and value.isprintable()):
                raise ModelError(f"{name} has characters that a header cannot have (not shown here). Copy it again.")
            values[name] = value

        def filled(fields: Mapping[str, str]) -> dict[str, str]:
            return {
                name: _VARIABLE.sub(lambda match: values[match[1] or match[2]], text) for name, text in fields.items()
            }

        return filled(self.headers), urlencode(filled(self.query))

    def _values(self) -> list[str]:
        return [*self.headers.values(), *self.query.values()]


def _texts(option: str, text: str) -> dict[str, str]:
    try:
        fields = orjson.loads(text or "{}")
    except orjson.JSONDecodeError as trouble:
        raise BadOption(f"openai: {option} is not JSON ({trouble}).") from None
    if not isinstance(fields, dict) or not all(isinstance(value, (str, int)) for value in fields.values()):
        raise BadOption(f'openai: {option} must be a JSON object of texts, such as {{"name": "value"}}.')
    return {name: str(value) for name, value in fields.items()}
