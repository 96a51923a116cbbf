"""Work for the tests of executors, in a module that workers can import."""

from __future__ import annotations

import os
from functools import partial

from askew.errors import ModelError


def square(number):
    return number * number


def start_adding(more):
    return partial(sum_of, more)


def sum_of(more, number):
    return more + number


def start_ending():
    return end_at_three


def end_at_three(number):
    if number == 3:
        os._exit(7)
    return number


def fail(number):
    raise ModelError(f"{number} is wrong")


def answer(images, questions):
    """A model that kills its process on one question."""
    if "Is this fatal?" in questions:
        os._exit(9)
    return ["yes"] * len(questions)


FRAGILE = "python:executor_work:answer,batch=true,blind=true"
