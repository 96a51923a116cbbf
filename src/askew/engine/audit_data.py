"""Audit data of any kind: groups or plain questions."""

from __future__ import annotations

from askew.audit.labelled_texts import MOST_TEXTS, texts_of_groups, texts_of_questions
from askew.audit.text_audit import TextAudit, audited, tasks_of
from askew.engine.settings import Named, Settings, progress_bar, ticking
from askew.verbs import HoldsGroups


def audit_data(data: Named, settings: Settings, most: int = MOST_TEXTS) -> TextAudit:
    """What the text alone gives away, with progress; at most ``most`` questions of each test are used."""
    with progress_bar(settings, desc="Reading questions", unit=" questions") as bar:
        if isinstance(data.what, HoldsGroups):
            tests = texts_of_groups(ticking(bar, data.what.groups()), settings.seed, most)
        else:
            tests = texts_of_questions(ticking(bar, data.what.questions()), settings.seed, most)
    with progress_bar(settings, desc="Learning from text", unit=" tests", total=tasks_of(tests)) as bar:
        return audited(tests, settings.seed, bar.update)
