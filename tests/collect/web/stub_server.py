"""A server process with stub robots: ``python stub_server.py FOLDER [SECONDS] [durable]``; prints its port."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from askew.collect.robots import Call
from askew.collect.study import open_study
from askew.collect.web.app import make_app
from askew.collect.web.robot_queue import RobotQueue
from askew.collect.web.security import Limits, SecretKeys
from askew.collect.web.serve import Address, listening, make_server
from askew.collect.web.study_files import read_secret
from askew.collect.web.visit import Service
from askew.types import Prediction


@dataclass
class Stub:
    """Gives the same answer to every question, after some seconds."""

    seconds: float = 0

    def answer(self, calls: Sequence[Call]) -> list[Prediction]:
        time.sleep(self.seconds)
        return [Prediction(call.question_id, "blue") for call in calls]


def main(folder: Path, seconds: float, durable: bool) -> None:
    study = open_study(folder, durable=durable)
    limits = Limits(questions=10**6, posts=10**6, requests=10**6, calls_in_flight=100)
    robots = RobotQueue(study.database, Stub(seconds))
    service = Service(study=study, robots=robots, keys=SecretKeys(read_secret(folder)), name="Stub", limits=limits)
    robots.resume()  # as ``serve`` does: what a killed server had asked
    with listening(Address(port=0)) as bound:
        print(bound.getsockname()[1], flush=True)
        make_server(make_app(service), Address()).run(sockets=[bound])


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 0, "durable" in sys.argv[3:])
