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


def start_counting():
    return counted_end


def counted_end(item):
    """Notes that it was begun, then ends its process."""
    path, number = item
    with open(path, "a") as log:
        log.write(f"{number}\n")
    os._exit(7)


def end_once(item):
    """Ends its process the first time."""
    path, number = item
    if number == 3 and not os.path.exists(path):
        open(path, "w").close()
        os._exit(7)
    return number


def fail(number):
    raise ModelError(f"{number} is wrong")


def answer(images, questions):
    """A model that kills its process on one question, and notes what it is asked where a test wants it."""
    if log := os.environ.get("ASKEW_TEST_ASKED"):
        with open(log, "a") as file:
            file.writelines(f"{question}\n" for question in questions)
    if "Is this fatal?" in questions:
        os._exit(9)
    return ["yes"] * len(questions)


FRAGILE = "python:executor_work:answer,batch=true,blind=true"
