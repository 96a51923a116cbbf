"""The demo: a small study with simulated colleagues, from the first question to a release."""

from __future__ import annotations

import logging
import sys
import threading
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from askew.collect.freeze import freeze
from askew.collect.release import release
from askew.collect.rounds import change_round
from askew.collect.schema import round_
from askew.collect.study import Study
from askew.collect.web.app import make_app
from askew.collect.web.colleagues import Colleagues
from askew.collect.web.first_study import NewStudy, open_or_create
from askew.collect.web.serve import announce, make_service
from askew.collect.web.server import Address, check_files, listening, make_server
from askew.errors import DataError, UsageError

SCENES, GOLD = 24, 12
STEPS = """
What to do, in about five minutes:
  1. Open the link, choose a name and a password, read and agree.
  2. Fool the robot: get an image, ask about it, judge the answer. Robots here know the embedded world only.
  3. Watch Monitor: three simulated colleagues answer your question within seconds.
  4. Answer questions: your colleagues wrote some too.
  5. Invite yourself on People, and open the link in a private window: others take a quiz before their first work,
     and gold questions, whose answers are known, are among those they answer.
  6. Press Ctrl-C here: the round is frozen and released.
"""


def demo(folder: Path, port: int, seconds: float | None = None) -> int:
    """Serve until Ctrl-C or for some seconds, then freeze and release."""
    if seconds is not None and seconds <= 0:
        raise UsageError(f"--seconds {seconds:g} must be more than 0.")
    if (folder / "release").exists():
        raise DataError(f"{folder}: a demo ended here. Give another folder with --output, or delete this one.")
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    study = open_or_create(_small(folder))
    check_files(study)
    address = Address(port=port)
    service = make_service(study, address)
    colleagues = Colleagues(study, service.robots)
    colleagues.join()
    colleagues.start()
    with listening(address) as bound:
        announce(service, address, bound.getsockname()[1], owner_link=False)
        print(STEPS, flush=True)
        server = make_server(make_app(service), address)
        if seconds is not None:
            timer = threading.Timer(seconds, lambda: setattr(server, "should_exit", True))
            timer.daemon = True
            timer.start()
        with suppress(KeyboardInterrupt):
            server.run(sockets=[bound])
    colleagues.stop()
    service.robots.stop()
    finish(study, folder / "release")
    study.close()
    return 0


def finish(study: Study, output: Path) -> None:
    """Drain, freeze and release what there is, and say how to go on."""
    with study.database.write() as tx:
        found = tx.first(sa.select(round_).order_by(round_.c.number.desc()).limit(1))
        assert found is not None
        if found.state == "OPEN":
            change_round(tx, found.id, "DRAINING")
        if found.state in ("OPEN", "DRAINING"):
            frozen = freeze(tx, found.id, seed=0, drop_incomplete=True)
            kinds = sorted(frozen.types.values())
            counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
            print(f"\nFrozen: {counts or 'no questions'} (type E: verified, the robot was wrong).")
    release(study, output)
    print(f"Released to {output}.")
    filled = [split for split in ("test", "dev", "train") if (output / f"{split}.jsonl").stat().st_size]
    if filled:
        data = output if filled[0] == "test" else output / f"{filled[0]}.jsonl"
        print(f"Ask a model: askew run --data {data} --suite accuracy --model bundled:xnm --output {output.parent}/run")


def _small(folder: Path) -> NewStudy:
    new = NewStudy(folder, preset="small", scenes=SCENES, changes={"quiz_required": "true"}, gold=GOLD)
    return NewStudy(folder) if new.exists else new
