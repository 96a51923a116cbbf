"""Random sequences of actions, on SQLite and PostgreSQL, checked against dictionaries."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from quality_machine import QualityOnSqlite
from small_study import SmallStudy
from study_machine import OnSqlite, StudyMachine, template

from askew.collect.database import Database, SetClock
from askew.collect.study import Study

QUIET = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "derandomize": True,
    "database": None,
    "phases": [Phase.generate],  # without Phase.shrink a failing sequence is long but reported at once
}


def test_random_sequences_on_sqlite():
    run_state_machine_as_test(OnSqlite, settings=settings(max_examples=60, stateful_step_count=20, **QUIET))
    shutil.rmtree(OnSqlite.home)
    OnSqlite.template = None


def test_random_sequences_with_quiz_and_gold():
    run_state_machine_as_test(QualityOnSqlite, settings=settings(max_examples=25, stateful_step_count=25, **QUIET))
    shutil.rmtree(QualityOnSqlite.home)
    QualityOnSqlite.template = None


def test_random_sequences_on_postgres(cluster, tmp_path):
    url = cluster.create("machine_template")
    made = template(tmp_path / "template", url)
    made.close()
    machine = on_postgres(cluster, tmp_path, made)
    run_state_machine_as_test(machine, settings=settings(max_examples=10, stateful_step_count=20, **QUIET))


def on_postgres(cluster, folder: Path, made: SmallStudy) -> type[StudyMachine]:
    """Each sequence on a database made from the template."""
    numbers = iter(range(10**6))

    class OnPostgres(StudyMachine):
        def fresh(self) -> SmallStudy:
            clock = SetClock(made.clock.milliseconds)
            url = cluster.create(f"machine{next(numbers)}", "machine_template")
            return replace(made, study=Study(folder, Database(url, clock)), clock=clock)

    return OnPostgres
