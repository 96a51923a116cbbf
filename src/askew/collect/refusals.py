"""Why the protocol refuses something: each with a sentence for the person who asked for it.

AskewError
├── NotAllowed    this person may not do this (excluded, not the author, not an owner)
├── Refused       the input cannot be taken as it is (too long, a duplicate, no answer given)
├── Gone          it was possible once: the lease is over, the question was judged already, the round is frozen
└── DatabaseBusy  the database stayed locked
"""

from __future__ import annotations

from askew.errors import AskewError


class NotAllowed(AskewError):
    """This person may not do this."""


class Refused(AskewError):
    """The input cannot be taken as it is."""


class Gone(AskewError):
    """It was possible once and is not any more."""


class DatabaseBusy(AskewError):
    """The database stayed locked for too long."""
