"""What networks see of an experiment's worlds: each picture is looked at once, for all of them."""

from __future__ import annotations

from askew.api import as_data
from askew.experiments.plan import Plan
from askew.images import content_hash
from askew.settings import Settings, progress_bar
from askew.train.features import open_features
from askew.types import ImageRef

FEATURES = "world"
"""What every network of an experiment looks at."""

CHUNK = 256


def look_at(plan: Plan, *data: str) -> None:
    """Have the features of every picture of this data in the cache folder before networks are trained side by side."""
    images: dict[str, ImageRef] = {}
    for spec in data:
        for question in as_data(spec).what.questions():
            if question.image is not None:
                images.setdefault(content_hash(question.image), question.image)
    store, todo = open_features(FEATURES), list(images.values())
    with progress_bar(Settings(progress=plan.progress), total=len(todo), desc="Looking", unit=" pictures") as bar:
        for start in range(0, len(todo), CHUNK):
            bar.update(len(store.get_many(todo[start : start + CHUNK])))
