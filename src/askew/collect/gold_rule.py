"""How often a person gets a gold question, and when wrong answers are too many: pure functions of two counts.

The rule is Wald's sequential probability ratio test. Each answer to a gold question multiplies the odds that the
person is careless (right in ``gold_bad_percent`` of the cases) and not good (``gold_good_percent``). When the odds
reach 100 / ``gold_mistake_percent`` to 1, the person is excluded. By Ville's inequality no more than
``gold_mistake_percent`` of the good ones ever get there, however many gold questions they answer.
"""

from __future__ import annotations

from math import log

from askew.collect.study_settings import StudySettings

PATIENCE = 4
"""After so many right answers, with none wrong, the rate has fallen to a half."""


def gold_rate(right: int, wrong: int, settings: StudySettings) -> float:
    """The share of gold among a person's next questions, between 0 and 1.

    A wrong answer takes back what two right ones proved.

    >>> [gold_rate(right, 0, StudySettings()) for right in (0, 4, 12)], gold_rate(4, 2, StudySettings())
    ([0.5, 0.25, 0.125], 0.5)
    """
    proven = max(0, right - 2 * wrong)
    return max(settings.gold_least_percent, settings.gold_first_percent * PATIENCE / (PATIENCE + proven)) / 100


def is_careless(right: int, wrong: int, settings: StudySettings) -> bool:
    """Whether so many right and wrong answers to gold questions show that a person is careless.

    >>> [is_careless(0, wrong, StudySettings()) for wrong in (3, 4)]
    [False, True]
    >>> [is_careless(4, wrong, StudySettings()) for wrong in (5, 6)]
    [False, True]
    """
    return wrong >= strikes_allowed(right, settings) + 1


def strikes_allowed(right: int, settings: StudySettings) -> int:
    """How many wrong answers (strikes) a person may have who gave so many right ones.

    >>> [strikes_allowed(right, StudySettings()) for right in (0, 4, 10, 20)]
    [3, 5, 7, 12]
    """
    good, bad = settings.gold_good_percent / 100, settings.gold_bad_percent / 100
    limit = log(100 / settings.gold_mistake_percent)
    per_wrong, per_right = log((1 - bad) / (1 - good)), log(good / bad)
    # The small term keeps the count from depending on the last bits of the logarithms.
    return int((limit + right * per_right) / per_wrong - 1e-9)
