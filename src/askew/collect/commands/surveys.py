"""``askew collect`` for surveys: a human baseline of the groups of any suite."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from askew.collect.commands.study_setup import opened_study

if TYPE_CHECKING:
    from collections.abc import Iterator

    from askew.collect.study import Study
    from askew.collect.surveys.create import SurveyPlan
    from askew.types import Group, Question
    from askew.verbs import Dataset

_BASELINE = """\
examples:
  askew collect baseline STUDY --groups bench --gold world:val       (five people, batches of 24 with 4 gold)
  askew collect baseline STUDY --groups runs/xnm --sample 20 --people 3
  askew collect baseline STUDY                                       (how far it is, agreement, time of a batch)
  askew collect baseline STUDY --rate 0.50 --output runs/human       (the answers of people as a run)
  askew compare runs/human runs/xnm

Needs no round: people see the questions on their start page as soon as the service runs. --gold takes questions with
answers of several people; the yes/no and multiple-choice ones on which all agree are used. Without it, nobody's
attention is checked. See docs/collect-surveys.md."""


def _baseline_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _BASELINE
    _making(parser)
    parser.add_argument("--gold", metavar="DATA", help="questions with known answers, mixed into every batch")
    parser.add_argument("--output", metavar="DIR", help="write the answers of people as a run, like that of a model")
    parser.add_argument("--overwrite", action="store_true", help="replace the run that the folder of --output holds")
    parser.add_argument("--name", default="human", help="what the run is called in tables (human)")
    parser.add_argument(
        "--rate", type=float, metavar="AMOUNT", help="what a batch is paid, to show what the survey costs"
    )


def _making(
    parser: argparse.ArgumentParser, people: int = 5, sample: int = 100, what: str = "pairs of each test"
) -> None:
    """Add the options that make a survey, look at one, and end it."""
    parser.add_argument("--groups", metavar="DATA", help="make one: a folder of askew build or a run, or groups.jsonl")
    parser.add_argument(
        "--images", metavar="DIR", help="the folder of the images, if they are not where the groups say"
    )
    parser.add_argument("--sample", type=int, metavar="N", default=sample, help=f"{what} ({sample})")
    parser.add_argument("--seed", type=int, metavar="S", default=0, help="the seed of the sample (0)")
    parser.add_argument("--people", type=int, metavar="N", default=people, help=f"different people for each ({people})")
    parser.add_argument("--batch", type=int, metavar="N", default=24, help="questions in a batch, with its gold (24)")
    parser.add_argument("--gold-per-batch", type=int, metavar="N", default=4, help="gold questions in a batch (4)")
    parser.add_argument("--id", type=int, metavar="N", help="which one, if the study has several (the last)")
    parser.add_argument("--close", action="store_true", help="end it: nobody gets further batches")


def _baseline(args: argparse.Namespace) -> int:
    """Make a baseline, show how far it is, end it, or write it as a run."""
    from askew.collect.surveys.create import baseline_drafts, create_survey, gold_drafts, gold_needed

    with opened_study(args) as study:
        if args.groups:
            groups, name = _sampled(args)
            drafts, plan = baseline_drafts(groups), _plan(args)
            questions = len(drafts)
            if args.gold:
                needed = gold_needed(drafts, plan)
                drafts += gold_drafts(_questions(args.gold), needed, args.seed)
                _check_gold(args, len(drafts) - questions, needed)
            number = create_survey(study, "baseline", name, groups, drafts, plan, args.seed)
            pairs = sum(len(group.variants) for group in groups)
            print(
                f"Baseline {number}: {questions:,} questions of {len(groups):,} groups ({pairs:,} pairs), each for ",
                end="",
            )
            print(f"{plan.people} people; {plan.batch - plan.gold} questions and {plan.gold} gold in a batch.")
            print(f"Next: askew collect serve {args.study}")
            return 0
        _show(args, study, "baseline", args.rate)
        if args.output:
            _write_run(args, study)
    return 0


def _sampled(args: argparse.Namespace) -> tuple[list[Group], str]:
    """The sampled groups of ``--groups``, and the name of the data."""
    from askew.collect.surveys.create import sampled_groups
    from askew.engine.components import as_data
    from askew.engine.settings import check_whole
    from askew.errors import UsageError
    from askew.files.paths import public_text
    from askew.verbs import HoldsGroups

    check_whole("sample", args.sample, least=1)
    data = as_data(args.groups, args.images)
    if not isinstance(data.what, HoldsGroups):
        raise UsageError(
            f"{args.groups}: these are questions, not groups. Make groups: askew build rad --data {args.groups}"
        )
    groups = sampled_groups(data.what.groups(), args.sample, args.seed)
    if not groups:
        raise UsageError(f"{args.groups}: there are no groups in it.")
    return groups, public_text(data.spec)


def _questions(spec: str) -> Iterator[Question]:
    """The questions of any data."""
    from askew.engine.components import as_data

    data: Dataset = as_data(spec).what
    return data.questions()


def _plan(args: argparse.Namespace) -> SurveyPlan:
    from askew.collect.surveys.create import SurveyPlan

    return SurveyPlan(args.people, args.batch, args.gold_per_batch if args.gold else 0)


def _check_gold(args: argparse.Namespace, found: int, needed: int) -> None:
    from askew.errors import DataError

    if found < args.gold_per_batch:
        raise DataError(
            f"{args.gold}: {found} yes/no or multiple-choice questions have the same answer of at least three people; "
            f"a batch needs {args.gold_per_batch}. Give other data, or fewer: --gold-per-batch {found}"
        )
    if found < needed:
        most = found // args.gold_per_batch
        print(
            f"There are {found:,} gold questions, so one person can answer at most {most:,} batches.", file=sys.stderr
        )


def _show(args: argparse.Namespace, study: Study, kind: str, rate: float | None) -> None:
    """How far the surveys of a kind are; ends one on request."""
    import sqlalchemy as sa

    from askew.collect.schema import survey
    from askew.collect.surveys.results import alpha, judgement_lines, progress, progress_lines, survey_items, survey_row
    from askew.collect.surveys.survey_batches import close_survey

    with study.database.write() as tx:
        chosen = survey_row(tx, args.id, kind)
        if args.close:
            close_survey(tx, chosen.id)
        wanted = sa.select(survey).where(survey.c.kind == kind).order_by(survey.c.id)
        for row in tx.rows(wanted if args.id is None else wanted.where(survey.c.id == args.id)):
            items = survey_items(tx, row.id)
            found = alpha(items) if kind == "baseline" else None
            print("\n".join(progress_lines(progress(tx, row), found, rate)))
            if kind == "audit":
                print("\n".join(judgement_lines(items)))


def _write_run(args: argparse.Namespace, study: Study) -> None:
    """Score the majorities like the answers of a model."""
    from askew.collect.surveys import human_run, results
    from askew.engine.components import as_suite, suites_in
    from askew.engine.events import Note, Warned
    from askew.engine.run import run_models
    from askew.engine.settings import Named, Settings
    from askew.errors import UsageError
    from askew.files.read_write import write_joined
    from askew.report.html import write_report
    from askew.report.load import load_run
    from askew.report.terminal import terminal_summary

    output = Path(args.output)
    if human_run.is_inside(output, study):
        raise UsageError(f"{output}: this is inside the study's folder. Give another one.")
    with study.database.read() as tx:
        row = results.survey_row(tx, args.id, "baseline")
        items = results.survey_items(tx, row.id)
        done = results.progress(tx, row)
        groups = human_run.survey_groups(tx, study, row.id, items)
    if not done.is_complete and row.state == "OPEN":
        raise UsageError(
            f"{done.questions - done.hidden - done.complete:,} questions lack answers. Wait for them; or end the "
            f"survey, and they count as not answered: askew collect baseline {args.study} --id {row.id} --close"
        )
    people = human_run.peoples_answers(groups, items, row.people)
    data = Named(human_run.SurveyGroups(row.name, tuple(groups)), row.name)
    suites = [as_suite(name) for name in suites_in(data, "accuracy")]
    model = Named(people, people.signature, args.name, people.signature)
    command = shlex.join(["askew", *sys.argv[1:]])
    for event in run_models([model], data, suites, output, Settings(overwrite=args.overwrite), command):
        if isinstance(event, Note | Warned):
            print(event.sentence, file=sys.stderr)
    runs = [load_run(output)]
    write_report(runs, output / "report.html", [])
    print(terminal_summary(runs, [], color=sys.stdout.isatty()))
    about = {**done.record(), **human_run.counts(items, row.people), "alpha": results.alpha(items), "rate": args.rate}
    write_joined(output / "people.json", [json.dumps(about, indent=2).encode() + b"\n"])
    wrong = f"{about['no_majority']:,} questions have no majority, and {about['ambiguous']:,} one for ambiguous"
    print(f"{wrong}: all count as wrong.")
    print(f"Agreement, time and cost: {output / 'people.json'}")


_AUDIT = """\
examples:
  askew collect audit STUDY --groups bench --sample 200     (three people judge each of 200 variants)
  askew collect audit STUDY                                 (how far it is, and how well people agree)
  askew collect audit STUDY --results judged.csv
  askew audit bench --judged judged.csv                     (label noise)
  askew report runs/xnm --judged judged.csv                 (label noise beside the scores)

The sample is that of askew audit bench --sample 200 with the same --seed. Gold is made from it: words in a random
order, a question about something else, an unchanged question."""


def _audit_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _AUDIT
    _making(parser, people=3, sample=200, what="questions to judge")
    parser.add_argument("--results", metavar="FILE", help="write how many people said what, for askew audit --judged")


def _audit(args: argparse.Namespace) -> int:
    """Make an audit, show how far it is, end it, or write what people said."""
    from askew.audit.label_sample import sampled_labels
    from askew.collect.surveys.audit_items import audit_drafts, judged_lines
    from askew.collect.surveys.create import SurveyPlan, create_survey, gold_needed
    from askew.collect.surveys.results import survey_items, survey_row
    from askew.engine.audit_data import members_of
    from askew.engine.components import as_data
    from askew.errors import UsageError
    from askew.files.paths import public_text
    from askew.files.read_write import write_joined

    with opened_study(args) as study:
        if args.groups:
            data = as_data(args.groups, args.images)
            sample = sampled_labels(members_of(data), args.sample, args.seed)
            plan = SurveyPlan(args.people, args.batch, args.gold_per_batch)
            drafts = audit_drafts(study, sample, 0, args.seed)
            needed = gold_needed(drafts, plan)
            drafts = audit_drafts(study, sample, needed, args.seed)
            found = len(drafts) - len(sample)
            if found < plan.gold:
                raise UsageError(
                    f"{args.groups}: only {found} gold questions can be made from the sample, and a batch "
                    f"needs {plan.gold}. Draw more with --sample, or ask for fewer: --gold-per-batch {found}"
                )
            if found < needed:
                most = found // plan.gold
                print(f"There is gold for {most:,} batches of one person; have enough people.", file=sys.stderr)
            number = create_survey(study, "audit", public_text(data.spec), [], drafts, plan, args.seed)
            print(f"Audit {number}: {len(sample):,} variants, each for {plan.people} people; {found:,} gold questions.")
            print(f"Next: askew collect serve {args.study}")
            return 0
        _show(args, study, "audit", None)
        if args.results:
            with study.database.read() as tx:
                lines = judged_lines(survey_items(tx, survey_row(tx, args.id, "audit").id))
            write_joined(Path(args.results), lines)
            print(f"Judgements of {len(lines) - 1:,} variants: {args.results}")
    return 0


ACTIONS = {"baseline": (_baseline_options, _baseline), "audit": (_audit_options, _audit)}
"""Action to the function that adds its options, and the function that runs it."""
