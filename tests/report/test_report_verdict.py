from __future__ import annotations

from pathlib import Path

from fake_runs import FACTS

from askew.report.load import Run
from askew.report.verdict import Sentence, verdict

RAD = {
    "name": "rad",
    "title": "RAD",
    "headline": {
        "metric": "rad.forward",
        "sentence": "of those it answers only {value} correctly when asked as yes/no",
    },
}
CARETS = {
    "name": "carets",
    "title": "CARETS",
    "headline": {"metric": "carets.cacc", "sentence": "it answers only {value} of the pairs correctly both times"},
}
NOISE = {"name": "rscore", "title": "R", "headline": {"metric": "rscore.1", "sentence": "its R_score is only {value}"}}


def run_of(*scores: tuple, suites: tuple = (RAD,), failures: dict | None = None) -> Run:
    names = ("suite", "metric", "value", "low", "high", "n")
    return Run(
        Path(),
        {
            "model": {"name": "prior"},
            "suites": [suite | {"metrics": FACTS} for suite in suites],
            "scores": [dict(zip(names, score, strict=True)) for score in scores],
            "failures": failures or {},
        },
    )


def plain(sentence: Sentence) -> str:
    return "".join(f"*{span.text}*" if span.emphasis else span.text for span in sentence)


def said(run: Run, breaks_on: dict | None = None) -> list[str]:
    return [plain(sentence) for sentence in verdict(run, "prior", breaks_on)]


ACCURACY = ("rad", "accuracy.all", 0.41, 0.40, 0.42, 5000)


def test_the_sentence_of_the_readme() -> None:
    run = run_of(ACCURACY, ("rad", "rad.forward", 0.52, 0.49, 0.55, 900))
    assert said(run, {"rad": "how many"}) == [
        "prior correctly answers 41 % of the questions, but of those it answers only 52 % correctly (49–55) "
        "when asked as yes/no; it breaks most on *how many*."
    ]


def test_a_steady_model_is_called_steady() -> None:
    run = run_of(ACCURACY, ("rad", "rad.forward", 0.97, 0.96, 0.98, 900))
    assert said(run) == [
        "prior correctly answers 41 % of the questions, and of those it still answers 97 % correctly (96–98) "
        "when asked as yes/no."
    ]


def test_an_accuracy_is_low_only_when_it_is_clearly_below_the_originals() -> None:
    def told(low: float, high: float) -> str:
        scores = [("carets", "accuracy.all", 0.8, 0.78, 0.82, 900), ("carets", "carets.cacc", 0.77, low, high, 900)]
        return said(run_of(*scores, suites=(CARETS,)))[0]

    assert "questions, but it answers only 77 % (75–79) of the pairs correctly both times." in told(0.75, 0.79)
    assert "questions, and it still answers 77 % (73–81) of the pairs correctly both times." in told(0.73, 0.81)


def test_too_wide_an_interval_says_so_and_nothing_more() -> None:
    run = run_of(ACCURACY, ("rad", "rad.forward", 0.52, 0.30, 0.74, 18))
    assert said(run) == [
        "prior correctly answers 41 % of the questions; of those it answers 52 % correctly (30–74; n = 18 is too "
        "few to say) when asked as yes/no."
    ]


def test_one_image_gives_no_interval() -> None:
    run = run_of(ACCURACY, ("rad", "rad.forward", 0.5, None, None, 2))
    assert "50 % correctly (n = 2: too few images for an interval)" in said(run)[0]


def test_no_correct_answer_leaves_nothing_to_ask_again() -> None:
    run = run_of(("rad", "accuracy.all", 0.0, 0.0, 0.0, 90), ("rad", "rad.forward", None, None, None, 0))
    assert said(run) == [
        "prior correctly answers 0 % of the questions, so there was no correctly answered question to ask again (—)."
    ]


def test_none_of_the_changed_questions_answered_correctly() -> None:
    before = ("rad", "accuracy.original", 0.01, 0.0, 0.02, 363)
    run = run_of(ACCURACY, before, ("rad", "rad.forward", None, None, None, 0))
    assert said(run) == [
        "prior correctly answers 41 % of the questions, but it correctly answered none of the 363 originals "
        "with variants, so there was no correctly answered question to ask again (—)."
    ]


def test_no_data_at_all() -> None:
    told = said(run_of(("rad", "accuracy.all", None, None, None, 0)))
    assert told == [
        "prior: its accuracy is unknown (it answered no question that has people's answers); "
        "nothing was measured when the questions were changed (—, n = 0)."
    ]


def test_a_suite_without_accuracy_on_originals_says_nothing_about_it() -> None:
    run = run_of(("carets", "carets.cacc", 0.77, 0.75, 0.79, 900), suites=(CARETS,))
    assert said(run) == ["prior: it answers only 77 % (75–79) of the pairs correctly both times."]


def test_further_suites_get_their_own_sentence() -> None:
    scores = [ACCURACY, ("rad", "rad.forward", 0.52, 0.49, 0.55, 900), ("rscore", "rscore.1", 0.48, 0.45, 0.51, 900)]
    assert said(run_of(*scores, suites=(RAD, NOISE)))[1] == "R: its R_score is only 0.48 (0.45–0.51)."


def test_many_non_answers_are_part_of_the_verdict() -> None:
    few, many = {"count": 10, "asked": 1000}, {"count": 64, "asked": 2000}
    scores = [ACCURACY, ("rad", "rad.forward", 0.52, 0.49, 0.55, 900)]
    assert len(said(run_of(*scores, failures=few))) == 1
    assert said(run_of(*scores, failures=many))[1].startswith(
        "It gave no answer to 3.2 % of all questions and variants (64 of 2,000)"
    )


def test_a_sentence_with_braces_of_its_own_is_left_alone() -> None:
    suite = RAD | {"headline": {"metric": "rad.forward", "sentence": "{0} {x} {value}"}}
    run = run_of(ACCURACY, ("rad", "rad.forward", 0.52, 0.49, 0.55, 900), suites=(suite,))
    assert "{0} {x} 52 % (49–55)" in said(run)[0]


def covering(groups: int, questions: int, n: int, failed: int = 0, **more: object) -> Run:
    suite = RAD | {"groups": groups, "changed": groups, "variants": groups} | more
    run = run_of(
        ("rad", "accuracy.all", 0.25, 0.2, 0.3, n), ("rad", "rad.forward", 0.5, 0.45, 0.55, n), suites=(suite,)
    )
    run.results["scores"][0]["failed"] = failed
    return Run(run.folder, {**run.results, "data": {"questions": questions}, "config": {"limit": None}})


def test_an_accuracy_on_covered_questions_is_not_stated_for_all_data() -> None:
    """24 of 60 questions have a form that RAD changes; "25 % of the questions" was measured on those 24."""
    (told,) = said(covering(24, 60, n=24))
    assert told.startswith("prior correctly answers 25 % of the 24 questions asked (24 of 60 questions covered), but")
    (whole,) = said(covering(60, 60, n=60))
    assert whole.startswith("prior correctly answers 25 % of the questions, but of those it answers")
    (limited,) = said(Run(Path(), {**covering(24, 60, n=24).results, "config": {"limit": 24}}))
    assert "of the 24 questions asked (24 of 60 questions taken)" in limited


def test_an_accuracy_leaves_failed_and_unknown_questions_out_and_says_so() -> None:
    assert (
        "25 % of the 22 questions it answered (24 of 60 questions covered)" in said(covering(24, 60, 22, failed=2))[0]
    )
    assert "25 % of the 58 questions it answered, but" in said(covering(60, 60, 58, failed=2))[0]
    assert "25 % of the 50 questions whose answer is known, but" in said(covering(60, 60, 50))[0]


def test_of_those_refers_to_questions_with_variants() -> None:
    assert "but of those with variants it answers only 50 % correctly" in said(covering(60, 60, n=60, changed=24))[0]


def test_scenes_and_prebuilt_groups_are_not_counted_as_questions() -> None:
    run = covering(24, 60, n=24)
    scenes = Run(Path(), {**run.results, "data": {"questions": 60, "counted": "scene"}})
    assert said(scenes)[0].startswith("prior correctly answers 25 % of the questions, but")


def test_a_suite_that_made_no_group_is_reported() -> None:
    empty = CARETS | {"groups": 0, "coverage": [{"test": "t", "refused": {"no scene graph": 60}}]}
    run = covering(24, 60, n=24)
    both = Run(Path(), {**run.results, "suites": [empty, *run.suites]})
    told = said(both)
    assert told[0].startswith("prior correctly answers 25 %")
    assert (
        told[1] == "The suite carets made no group from 60 questions, so it has no score; refused: no scene graph (60)."
    )
