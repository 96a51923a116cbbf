"""The consent text: askew's own, or the study's in ``consent.txt`` in its folder. A new text asks everybody again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from askew.errors import DataError

FILE = "consent.txt"
LONGEST = 40_000
DEFAULT = """\
What you do. You look at images, ask a computer program ("the robot") questions about them, judge its answers, and \
answer questions that other people asked. Most people need one to three minutes for an image. The task needs sight.

What is collected. Your questions, answers and judgements, with the times at which you sent them, and the ids that a \
platform sent with you. They are published in a data set for research under a pseudonym: never with your name, \
your platform id or your address. Do not write anything private about yourself or others.

Pay or credit. What you were promised when you were invited holds. Honest work counts, whether or not the robot \
was fooled.

Content. Images can contain things that upset you. You can skip any image or question at any time and without a \
reason, and report it.

Your rights. You must be 18 or older. Taking part is voluntary. You can stop at any time, withdraw a question until \
somebody has verified it, download what is stored about you, and delete your account on the page "My work". \
What has been released cannot be called back from people who have it, but it is left out of later releases.
"""


@dataclass(frozen=True)
class Consent:
    """A text and the version that is stored with each person who agreed to it."""

    text: str
    version: str

    @property
    def paragraphs(self) -> list[str]:
        """The text at its empty lines."""
        return [part.strip() for part in self.text.replace("\r\n", "\n").split("\n\n") if part.strip()]


def read_consent(folder: Path) -> Consent:
    """The consent text of a study."""
    path = folder / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = DEFAULT
    except (OSError, UnicodeDecodeError) as trouble:
        raise DataError(f"{path}: cannot be read as text ({trouble}). Save it as UTF-8.") from None
    if not text.strip() or len(text) > LONGEST:
        raise DataError(f"{path}: has {len(text)} characters; it needs 1 to {LONGEST}.")
    return Consent(text, hashlib.sha256(text.encode()).hexdigest()[:12])
