"""Why the protocol refuses a step; each error has a sentence for the person who tried it.

AskewError
├── NotAllowed    this person may not do this (excluded, not the author, not an owner)
├── Refused       the input cannot be accepted as it is (too long, a duplicate, no answer given)
├── Gone          no longer possible: the lease has expired, the question was judged already, the round is frozen
└── DatabaseBusy  the database stayed locked
"""

from __future__ import annotations

from askew.errors import AskewError


class NotAllowed(AskewError):
    """This person may not do this."""


class Refused(AskewError):
    """The input cannot be accepted as it is."""


class Gone(AskewError):
    """It was possible before, but no longer is."""


class DatabaseBusy(AskewError):
    """The database stayed locked for too long."""
