"""Forms of all routes: sent again they have one effect; sent from another origin they have none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from recipes import ENDS_SESSION, RECIPES, Recipe
from small_study import SmallStudy
from web_study import Page, WebStudy, at_once

from askew.collect.web.app import PAGES

POSTS = sorted(page.path for page in PAGES if page.method == "POST" and page.who != "api")
DONE = (200, 303)


def test_every_form_has_a_recipe() -> None:
    assert sorted(RECIPES) == POSTS


def same(recipe: Recipe, page: Page) -> tuple[int, str]:
    """What must be equal between replays; sealed references differ."""
    return page.status, page.headers.get("location", "").partition("/verify/")[0]


def test_a_form_sent_three_times_does_its_work_once(tmp_path: Path, template: SmallStudy) -> None:
    for number, path in enumerate(POSTS):
        web = WebStudy.copied(template, tmp_path / str(number))
        recipe = RECIPES[path](web)
        before, value = web.rows(), recipe.browser.value()
        first = recipe.send(value)
        assert first.status in DONE, (path, first.status, first.html)
        after = web.rows()
        for _ in range(2):
            again = recipe.send(value)
            if path in ENDS_SESSION:
                assert again.status in (303, 401, 403), (path, again.status)
            else:
                assert same(recipe, again) == same(recipe, first), (path, again.html)
            assert web.rows() == after, path
        assert path in NOTHING_ADDED or before != after, path
        web.small.check()
        web.close()


NOTHING_ADDED = {
    *("/sign-in", "/sign-out", "/consent", "/password"),
    *("/write/{session:int}/extend", "/verify/{task}/extend", "/my-work/{question:int}/withdraw", "/my-work/delete"),
    *(f"/batch/{{batch:int}}/{act}" for act in ("save", "extend", "report", "return")),
    *("/write/{session:int}/skip", "/owner/round/{round:int}/state", "/owner/round/{round:int}/model/{model:int}"),
    *("/owner/examples/{question:int}/resolve", "/owner/images/{image:int}/resolve"),
    *("/owner/set-up/study", "/owner/set-up/consent", "/owner/set-up/models", "/owner/releases/{version}/delete"),
    *("/owner/round/{round:int}/freeze", "/owner/set-up/round/{round:int}/open"),
    *(f"/owner/people/{{person:int}}/{act}" for act in ("role", "qualify", "exclude")),
}
"""Forms that change rows and add none, apart from the log."""


def test_a_form_sent_four_times_at_once_and_again_does_its_work_once(
    tmp_path: Path, template: SmallStudy, copied: Callable[[Path], WebStudy]
) -> None:
    for number, path in enumerate(POSTS):
        alone, crowd = WebStudy.copied(template, tmp_path / f"{number}-alone"), copied(tmp_path / f"{number}-crowd")
        recipe = RECIPES[path](alone)
        recipe.send()
        expected = alone.rows()
        recipe = RECIPES[path](crowd)
        value = recipe.browser.value()
        pages = at_once(4, lambda _, r=recipe, v=value: r.send(v))
        pages.append(recipe.send(value))
        assert crowd.rows() == expected, path
        wanted = (*DONE, 401, 403) if path in ENDS_SESSION else DONE
        assert all(page.status in wanted for page in pages), (path, [page.status for page in pages])
        crowd.small.check()
        alone.close()
        crowd.close()


@pytest.mark.parametrize("path", POSTS)
def test_forms_from_other_origins_have_no_effect(path: str, web: WebStudy) -> None:
    recipe = RECIPES[path](web)
    stranger = web.browser(web.small.people[5]) if recipe.browser.person is not None else web.browser()
    before, value, strange = web.rows(), recipe.browser.value(), stranger.value()
    wrong = [
        ("", {}),
        ("x" * 50, {}),
        (value[:-1] + ("0" if value[-1] != "0" else "1"), {}),
        (strange, {}),
        (value, {"Sec-Fetch-Site": "cross-site"}),
        (value, {"Sec-Fetch-Site": "same-site"}),
        (value, {"Origin": "https://evil.example"}),
        (value, {"Origin": "null"}),
        (value, {"Origin": "https://localhost.evil.example", "Sec-Fetch-Site": "same-origin"}),
    ]
    for form, headers in wrong:
        page = recipe.send(form, headers)
        assert page.status == 403, (form, headers, page.status)
    assert web.rows() == before
    right = {"Origin": "https://localhost", "Sec-Fetch-Site": "same-origin"}
    assert recipe.send(value, right).status in DONE


def test_a_refused_form_shows_what_was_typed(web: WebStudy) -> None:
    recipe = RECIPES["/write/{session:int}/ask"](web)
    page = recipe.browser.post(recipe.path, "wrong", question="How many <dogs>?")
    assert page.status == 403
    assert "How many &lt;dogs&gt;?" in page.html
    recipe.browser.client.cookies.clear()
    page = recipe.browser.post(recipe.path, "wrong", question="How many <dogs>?")
    assert page.status == 401
    assert "How many &lt;dogs&gt;?" in page.html
