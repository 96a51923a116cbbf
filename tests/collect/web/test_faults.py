"""When models, the database or the disk fail: a plain message, no lost text, no used try, and the service recovers."""

from __future__ import annotations

import errno
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from recipes import RECIPES
from small_study import SmallStudy
from web_study import WebStudy, at_once, saying

from askew.collect import database as database_module
from askew.collect.database import Database
from askew.collect.robots import Call
from askew.collect.schema import draw, ensemble_member, event, prediction, question
from askew.collect.web.robot_queue import BATCH, FAILURES, RobotQueue
from askew.types import Prediction


def refuse(call: Call) -> Prediction:
    raise ConnectionRefusedError(errno.ECONNREFUSED, "refused")


def status_500(call: Call) -> Prediction:
    return Prediction(call.question_id, None, error="the server answered 500")


def empty(call: Call) -> Prediction:
    return Prediction(call.question_id, "  ")


def wrong_type(call: Call) -> Prediction:
    return {"answer": "blue"}  # type: ignore[return-value]


FAILURE: dict[str, Callable[[Call], Prediction]] = {
    "refuses": refuse,
    "500": status_500,
    "empty": empty,
    "wrong JSON": wrong_type,
}
ODD: dict[str, Callable[[Call], Prediction]] = {
    "10 MB": lambda call: Prediction(call.question_id, "blue " * 2_000_000),
    "NaN": lambda call: Prediction(call.question_id, "blue", score=math.nan, seconds=math.nan),
    "infinite": lambda call: Prediction(call.question_id, "blue", score=-math.inf, seconds=math.inf),
    "NUL": lambda call: Prediction(call.question_id, "bl\0ue", raw="bl\0ue \ud800"),
}


def row(web: WebStudy) -> sa.Row:
    with web.small.study.database.read() as tx:
        return tx.first(sa.select(question.c.state, question.c.try_no).order_by(question.c.id.desc()).limit(1))


@pytest.mark.parametrize("fault", FAILURE)
def test_a_model_that_fails_uses_no_try_and_the_question_comes_back(fault: str, anywhere: WebStudy) -> None:
    web = anywhere
    recipe = RECIPES["/write/{session:int}/ask"](web)
    with saying(web, FAILURE[fault]):
        assert recipe.browser.post(recipe.path, question="What is <it>?").status == 303
        page = recipe.browser.get("/write/1")
        assert row(web) == ("MODEL_FAILED", None)
        assert "No robot could answer" in page.html
        assert 'value="What is &lt;it&gt;?"' in page.html
        assert "Try 1 of 5" in page.html
    time.sleep(web.service.robots.rest + 0.05)
    assert recipe.browser.post(recipe.path, question="What is <it>?").status == 303
    assert row(web) == ("ANSWERED", 1)
    assert "blue" in recipe.browser.get("/write/1").html
    web.small.check()


@pytest.mark.parametrize("fault", ODD)
def test_odd_replies_are_truncated_and_kept(fault: str, anywhere: WebStudy) -> None:
    web = anywhere
    recipe = RECIPES["/write/{session:int}/ask"](web)
    with saying(web, ODD[fault]):
        assert recipe.browser.post(recipe.path, question="What is it?").status == 303
    with web.small.study.database.read() as tx:
        kept = tx.first(sa.select(prediction))
    assert len(kept.raw) <= 2000
    assert kept.score is None
    assert math.isfinite(kept.seconds)
    assert len(recipe.browser.get("/write/1").content) < 50_000


def test_a_dead_model_is_replaced_by_the_other_and_leaves_the_draw(web: WebStudy) -> None:
    """Every question gets an answer; after five failures in a row the owner sees the model switched off."""
    dead = web.small.models[0]
    browser = web.browser(web.small.people[0])

    def half_dead(call: Call) -> Prediction:
        return refuse(call) if call.model_id == dead else Prediction(call.question_id, "blue")

    with saying(web, half_dead):
        address = browser.post("/write").location
        for n in range(5):
            assert browser.post(f"{address}/ask", question=f"What is number {n}?").status == 303
            page = browser.get(address)
            assert "blue" in page.html
            number = page.html.partition('name="try" value="')[2].partition('"')[0]
            browser.post(f"{address}/judge", **{"try": number}, verdict="correct")
    owner = web.browser(web.small.owner).get("/owner")
    with web.small.study.database.read() as tx:
        active = {r.model_id: r.active for r in tx.rows(sa.select(ensemble_member))}
        broken = tx.value(sa.select(sa.func.count()).select_from(event).where(event.c.kind == "model.breaker"))
    if broken:  # the dead model was drawn often enough
        assert active == {dead: False, web.small.models[1]: True}
        assert "Switch on" in owner.html
        assert "model.breaker" in owner.html


def test_the_breaker_opens_after_five_failures_and_the_last_model_is_tried_again(web: WebStudy) -> None:
    web.service.robots.rest = 3600
    browser = web.browser(web.small.people[0])
    address = browser.post("/write").location
    with saying(web, refuse):
        for n in range(4):
            browser.post(f"{address}/ask", question=f"What is number {n}?")
        before = web.robots.calls
        assert web.service.robots.resting(1) or web.service.robots.resting(2)
        browser.post(f"{address}/ask", question="What is resting?")
        assert web.robots.calls == before, "a model that rests is not called"
    with web.small.study.database.read() as tx:
        active = [r.active for r in tx.rows(sa.select(ensemble_member))]
    assert any(active), "the last model stays in the draw"
    for number in web.small.models:
        web.service.robots.lane(number).rests_until = 0.0  # an hour later
    browser.post(f"{address}/ask", question="What is it now?")
    assert row(web).state == "ANSWERED"
    assert FAILURES == 5


def test_a_model_that_hangs_is_called_once_and_another_answers_in_the_time_that_is_left(web: WebStudy) -> None:
    """It is not called again for the same question, and not at all once it is known to hang."""
    hanging, wake = web.small.models[0], threading.Event()
    web.service.robots.stop()
    web.service.robots = RobotQueue(web.small.study.database, web.robots, timeout=5, rest=3600)
    browser = web.browser(web.small.people[0])

    def hangs(call: Call) -> Prediction:
        if call.model_id == hanging:
            wake.wait(20)
        return Prediction(call.question_id, "blue")

    address = browser.post("/write").location
    with saying(web, hangs):
        for n in range(3):
            browser.post(f"{address}/ask", question=f"What is number {n}?")
            page = browser.get(address)
            assert "blue" in page.html
            number = page.html.partition('name="try" value="')[2].partition('"')[0]
            browser.post(f"{address}/judge", **{"try": number}, verdict="correct")
        wake.set()
    with web.small.study.database.read() as tx:
        draws = tx.rows(sa.select(draw).order_by(draw.c.question_id, draw.c.n))
    failed = [row for row in draws if row.model_id == hanging]
    assert [row.outcome for row in draws if row.model_id != hanging] == ["OK"] * 3
    assert all((row.outcome, row.attempts) == ("FAILED", 1) for row in failed)
    assert all("the model hangs" in row.error for row in failed[1:]), "known to hang: nobody waits for it again"
    web.small.check()


def test_nobody_waits_longer_than_the_limit_when_every_model_hangs(web: WebStudy) -> None:
    """The models share the time: a person gets a page, no try is used, and the question can be asked again."""
    wake = threading.Event()
    web.service.robots.stop()
    web.service.robots = RobotQueue(web.small.study.database, web.robots, timeout=0.5, rest=3600)
    recipe = RECIPES["/write/{session:int}/ask"](web)

    def hangs(call: Call) -> Prediction:
        wake.wait(60)
        return Prediction(call.question_id, "late")

    with saying(web, hangs):
        assert recipe.browser.post(recipe.path, question="What is it?").status == 303
        assert row(web) == ("MODEL_FAILED", None)
        assert "No robot could answer" in recipe.browser.get("/write/1").html
        wake.set()
    with web.small.study.database.read() as tx:
        draws = tx.rows(sa.select(draw.c.attempts, draw.c.outcome))
    assert set(draws) == {(1, "FAILED")}, "each model is called once at most"
    web.small.check()


def test_a_model_is_not_blamed_for_time_that_the_service_itself_lost(web: WebStudy) -> None:
    """A process that stood still for longer than the limit counted it as failures of a model, in "-4.9 seconds"."""
    web.service.robots.stop()
    robots = web.service.robots = RobotQueue(web.small.study.database, web.robots, timeout=0.0, rest=3600)
    recipe = RECIPES["/write/{session:int}/ask"](web)
    with saying(web, lambda call: Prediction(call.question_id, "blue")):
        for _ in range(FAILURES + 1):
            recipe.browser.post(recipe.path, question="What is it?")
    with web.small.study.database.read() as tx:
        draws = tx.rows(sa.select(draw.c.error, draw.c.model_id))
    assert {row.error for row in draws} == {"no time was left to ask the model"}
    assert not any(robots.resting(row.model_id) or robots.lane(row.model_id).failures for row in draws)


def test_a_thread_takes_at_most_32_waiting_questions(web: WebStudy) -> None:
    sizes: list[int] = []
    gate = threading.Event()

    class Slow:
        def answer(self, calls: list[Call]) -> list[Prediction]:
            sizes.append(len(calls))
            gate.wait(10)
            return [Prediction(call.question_id, "blue") for call in calls]

    robots = RobotQueue(web.small.study.database, Slow(), timeout=30)
    call = Call(1, 1, 1, 1, "0" * 64, ".png", "What?")
    lane = robots.lane(1)
    waiting = [threading.Thread(target=lane.ask, args=(call, 30)) for _ in range(70)]
    for thread in waiting:
        thread.start()
    deadline = time.monotonic() + 10
    while lane._queue.qsize() + sum(sizes) < 70 and time.monotonic() < deadline:
        time.sleep(0.01)
    gate.set()
    for thread in waiting:
        thread.join()
    assert sum(sizes) == 70
    assert max(sizes) == BATCH
    robots.stop()


def test_after_a_crash_pending_questions_are_asked_again(anywhere: WebStudy) -> None:
    web = anywhere
    recipe = RECIPES["/write/{session:int}/ask"](web)
    from askew.collect.writing import ask

    web.small.do(ask, web.small.people[0], 1, "What is it?")  # committed before the process died
    page = recipe.browser.get("/write/1")
    assert "The robot is thinking" in page.html
    assert web.service.robots.resume() == 1
    deadline = time.monotonic() + 10
    while row(web).state == "ASKED" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert "blue" in recipe.browser.get("/write/1").html


def test_a_locked_database_gives_503_with_the_text_and_recovers(
    tmp_path: Path, copied: Callable[[Path], WebStudy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program holds a write transaction."""
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.2)
    web = copied(tmp_path / "study")
    recipe = RECIPES["/write/{session:int}/ask"](web)
    value = recipe.browser.value()
    elsewhere = Database(web.service.database.engine.url.render_as_string(hide_password=False))
    with elsewhere.write():
        page = recipe.browser.post(recipe.path, value, question="What is <it>?")
        reading = recipe.browser.get("/home")
    elsewhere.close()
    assert page.status == 503
    assert "What is &lt;it&gt;?" in page.html
    assert "busy" in page.html
    assert reading.status == 200, "reading goes on"
    assert recipe.browser.post(recipe.path, value, question="What is <it>?").status == 303
    assert row(web) == ("ANSWERED", 1)
    web.close()


@contextmanager
def full_disk(web: WebStudy) -> Iterator[None]:
    """No file of this process can grow, which looks like a full disk to SQLite; PostgreSQL reports one."""
    if not web.service.database.is_sqlite:
        with postgres_fault(web, "RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'"):
            yield
        return
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def postgres_fault(web: WebStudy, statement: str) -> Iterator[None]:
    """A statement that runs with every answer of a verifier."""
    with web.service.database.engine.begin() as connection:
        body = f"BEGIN {statement}; RETURN NEW; END"
        connection.exec_driver_sql(f"CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $${body}$$")
        connection.exec_driver_sql(
            "CREATE TRIGGER fault BEFORE INSERT ON verification FOR EACH ROW EXECUTE FUNCTION fault()"
        )
    yield
    with web.service.database.engine.begin() as connection:
        connection.exec_driver_sql("DROP FUNCTION fault CASCADE")


@contextmanager
def read_only(web: WebStudy) -> Iterator[None]:
    """No transaction can write."""
    engine, sqlite = web.service.database.engine, web.service.database.is_sqlite

    def refuse_writes(connection: sa.Connection) -> None:
        connection.exec_driver_sql("PRAGMA query_only = ON" if sqlite else "SET TRANSACTION READ ONLY")

    sa.event.listen(engine, "begin", refuse_writes)
    yield
    sa.event.remove(engine, "begin", refuse_writes)
    engine.dispose()


@pytest.mark.parametrize("fault", [full_disk, read_only])
def test_a_full_or_read_only_disk_gives_503_with_the_text_and_recovers(
    fault: Callable[[WebStudy], AbstractContextManager[None]], anywhere: WebStudy
) -> None:
    web = anywhere
    recipe = RECIPES["/verify/{task}/answer"](web)
    value, before = recipe.browser.value(), web.rows()
    with fault(web):
        page = recipe.browser.post(recipe.path, value, answer="red <ball>", confidence="yes", then="next")
        reading = recipe.browser.get("/home")
    assert page.status == 503
    assert "red &lt;ball&gt;" in page.html
    assert reading.status == 200, "reading goes on"
    assert web.rows() == before
    assert recipe.browser.post(recipe.path, value, answer="red <ball>", confidence="yes", then="next").status == 303
    web.small.check()


def test_work_goes_on_after_postgresql_was_restarted(
    tmp_path: Path, postgres_template: SmallStudy, cluster: Any
) -> None:
    """All connections are cut, as by a restart; the pool held dead ones, and each gave somebody an error."""
    web = WebStudy.copied(postgres_template, tmp_path / "study", url=cluster.create("restarted", "web"))
    recipe = RECIPES["/verify/{task}/answer"](web)
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'restarted' AND pid <> pg_backend_pid()"
    )
    elsewhere = Database(cluster.url("restarted"))
    with elsewhere.engine.begin() as connection:
        connection.exec_driver_sql(cut)
    elsewhere.close()
    assert recipe.browser.post(recipe.path, answer="red", confidence="yes", then="next").status == 303
    web.small.check()
    web.close()


def test_unreadable_images_are_not_found(web: WebStudy) -> None:
    browser = web.browser(web.small.people[0])
    browser.post("/write")
    page = browser.get("/write/1")
    address = page.html.partition('<img src="/image/')[2].partition('"')[0]
    (web.small.study.folder / "images" / f"{address}.png").unlink()
    assert browser.get(f"/image/{address}").status == 404


def test_an_unexpected_error_shows_only_its_number(anywhere: WebStudy, caplog: pytest.LogCaptureFixture) -> None:
    web = anywhere
    recipe = RECIPES["/write/{session:int}/ask"](web)

    secret = "-".join(("hunter", "2"))

    class Broken:
        def __getattr__(self, name: str) -> None:
            raise RuntimeError(f"the secret is {secret}")

    working, web.service.robots = web.service.robots, Broken()
    page = recipe.browser.post(recipe.path, question="What is <it>?")
    web.service.robots = working
    assert page.status == 500
    assert secret not in page.html
    assert secret not in caplog.text
    assert "What is &lt;it&gt;?" in page.html
    number = page.html.partition("<code>")[2].partition("<")[0]
    assert number in caplog.text


def test_people_claim_at_the_same_moment_and_nobody_gets_an_error(anywhere: WebStudy) -> None:
    web = anywhere
    browsers = [web.browser(person) for person in web.small.people]
    pages = at_once(len(browsers), lambda n: browsers[n].post("/write"))
    assert sorted(page.location for page in pages) == ["/home?nothing=write"] * 3 + ["/write/1", "/write/2", "/write/3"]
    web.small.check()
