"""Remedies in errors work: each is extracted from the message and followed literally."""

from __future__ import annotations

import json
import shlex

import pytest

from askew import evaluate, open_data
from askew.cli import main
from remedies import refused, said, taken
from running import write_questions

QUICK = " --quiet"


@pytest.fixture(autouse=True)
def _at_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder as ``askew world`` writes it."""
    folder = tmp_path_factory.mktemp("made") / "w"
    assert main(["world", "--scenes", "20", "--size", "64", "--output", str(folder)]) == 0
    return folder


def ask_words(data, model="constant:yes", suite="accuracy", output="o"):
    words = ["run", "--model", model, "--data", str(data), "--suite", suite, "--output", output]
    return [*words, *QUICK.split()]


def ask(data, *more, output="o"):
    return main([*ask_words(data, output=output), *more])


def test_a_world_on_disk_can_be_given_as_data(world):
    """`askew world --output w` and then `--data w` was refused, and so was the remedy."""
    from_folder = [question.id for question in open_data(str(world)).questions()]
    assert from_folder == [question.id for question in open_data(f"{world}/val.jsonl").questions()]
    texts = [question.text for question in open_data("world:val,scenes=20,size=64").questions()]
    assert texts == [question.text for question in open_data(str(world)).questions()]
    assert ask(world) == 0


def test_the_error_for_a_world_too_small_for_val_names_an_existing_split(tmp_path):
    main(["world", "--scenes", "1", "--size", "64", "--output", "tiny"])
    path = refused(lambda: open_data("tiny"), r"another split: (\S+),")
    assert list(open_data(path).questions())


def test_a_folder_with_two_kinds_of_questions_names_files_that_can_be_given(world, tmp_path):
    for kind in ("vqa", "gqa"):
        (tmp_path / "both" / kind).mkdir(parents=True)
        for file in (world / kind).glob("*"):
            (tmp_path / "both" / kind / file.name).write_bytes(file.read_bytes())
    files = refused(lambda: open_data("both"), r"one of the files, e\.g\. (.+)$").split(" or ")
    assert len(files) == 2
    for number, file in enumerate(files):
        assert ask(file, output=f"o{number}") == 0


def test_a_folder_with_several_splits_names_a_spec_that_can_be_given(world):
    for kind in ("vqa", "gqa"):
        spec = refused(lambda kind=kind: open_data(f"{world}/{kind}"), r"Pick one, e\.g\. (\S+)$")
        assert ask(spec, output=kind) == 0


def score(*words):
    return main(["score", *words, *QUICK.split(), "--output", "scored"])


def answers(path, count):
    path.write_text(json.dumps([{"question_id": number, "answer": "white"} for number in range(count)]))


def test_an_annotations_file_is_given_beside_its_questions(world, capsys):
    asked = next((world / "vqa").glob("*val_questions.json"))
    answered = next((world / "vqa").glob("*val_annotations.json"))
    option = said(capsys, ask_words(answered), r"this one as (annotations=)\.\.\.")
    assert ask(f"vqa:{asked},{option}{answered}") == 0


def test_a_scene_graph_file_is_given_beside_its_questions(world, capsys):
    scenes, asked = world / "gqa" / "val_sceneGraphs.json", world / "gqa" / "val_questions.json"
    option = said(capsys, ask_words(scenes), r"this one as (scenes=)\.\.\.")
    assert ask(f"gqa:{asked},{option}{scenes}") == 0


def test_a_file_of_predictions_is_given_as_the_model(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    answers(tmp_path / "a.json", 4)
    spec = said(capsys, ask_words("a.json"), r"as the model: (predictions:)\.\.\.")
    assert main(ask_words("q.jsonl", model=f"{spec}a.json")) == 0


def test_missing_predictions_are_allowed_as_the_message_says(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    answers(tmp_path / "a.json", 3)
    words = ["score", "q.jsonl", "a.json", "--quiet", "--output", "scored"]
    option = said(capsys, words, r"give askew score (--allow-missing);")
    spec = said(capsys, words, r"name the model as (\S+)\.$")
    assert score("q.jsonl", "a.json", option) == 0
    assert main([*ask_words("q.jsonl", model=spec), "--max-failures", "1"]) == 0


def test_questions_to_export_are_built_into_groups_first(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    export = ["export", "q.jsonl", "--format", "jsonl", "--output", "e"]
    command = said(capsys, export, r"Make groups of them first: askew (.+)$")
    assert main([*shlex.split(command), "--quiet"]) == 0
    assert main(["export", "bench/groups.jsonl", *export[2:]]) == 0


def test_one_run_is_reported_and_two_are_compared(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    assert ask("q.jsonl") == 0
    command = said(capsys, ["compare", "o"], r"For one: askew (report) RUN")
    assert main([command, "o"]) == 0


def test_a_gate_without_requirements_names_options_that_work(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    assert ask("q.jsonl") == 0
    option = said(capsys, ["gate", "o"], r"Give (--require) ")
    assert main(["gate", "o", option, "accuracy.all>=0"]) == 0


def test_a_folder_of_several_runs_names_them(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    assert ask("q.jsonl", "--model", "constant:no") == 0
    runs = said(capsys, ["report", "o"], r"name them, or one of them: (.+)\.$").split()
    assert len(runs) == 2
    assert main(["report", *runs, "--output", "page.html"]) == main(["report", runs[0]]) == 0


def test_a_stopped_run_resumes_when_it_is_run_again(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    assert ask("q.jsonl") == 0
    (tmp_path / "o" / "results.json").unlink()
    command = said(capsys, ["report", "o"], r"(Run 'askew run' with this --output again)")
    assert command
    assert ask("q.jsonl") == main(["report", "o"]) == 0


def test_a_run_without_its_samples_is_run_again(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    assert ask("q.jsonl") == 0
    (tmp_path / "o" / "samples.jsonl").unlink()
    said(capsys, ["report", "o"], r"(Run 'askew run' with this --output again)")
    assert ask("q.jsonl") == main(["report", "o"]) == 0


def test_a_misspelt_name_or_option_gets_the_correct_suggestion(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    name = said(capsys, ask_words("q.jsonl", suite="acuracy"), r"Did you mean '(\w+)'\?")
    assert main(ask_words("q.jsonl", suite=name)) == 0
    option = said(capsys, ask_words("q.jsonl", model="constant:sya=no"), r"Did you mean '(\w+)'\?")
    assert main(ask_words("q.jsonl", model=f"constant:{option}=no", output="p")) == 0
    (tmp_path / "run.yaml").write_text("modle: constant:yes\n")
    option = said(capsys, ["run", "--config", "run.yaml"], r"Did you mean '(\w+)'\?")
    (tmp_path / "run.yaml").write_text(f"{option}: constant:yes\ndata: q.jsonl\nsuite: accuracy\nquiet: true\n")
    needed = said(capsys, ["run", "--config", "run.yaml"], r"(--\w+) is needed")
    assert main(["run", "--config", "run.yaml", needed, "c"]) == 0


def test_ready_made_groups_name_what_can_be_asked_of_them(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 8)
    assert main(["build", "rad", "--data", "q.jsonl", "--quiet", "--output", "bench"]) == 0
    groups = "bench/groups.jsonl"
    there = said(capsys, ask_words(groups, suite="accuracy"), r"ready-made, of (\w+);")
    assert main(ask_words(groups, suite=there)) == 0
    words = ask_words(groups, suite="rad:yes=0.1", output="p")
    source = said(capsys, words, r"Leave it out, or (give the questions they were made from)")
    assert source
    assert main(ask_words("q.jsonl", suite="rad:yes=0.1", output="p")) == 0


def test_missing_images_are_found_in_the_given_folder(world, tmp_path, capsys):
    for file in ("val.jsonl",):
        (tmp_path / file).write_bytes((world / file).read_bytes())
    (tmp_path / "sees.py").write_text("def size(image, question):\n    return str(image.size)\n")
    words = ask_words("val.jsonl", model="python:sees:size")
    option = said(capsys, words, r"\((--images) DIR")
    assert main([*words, option, str(world / "images")]) == 0
    option = said(capsys, [*words, "--images", "nowhere", "--overwrite"], r"\((--images) DIR")
    assert option == "--images"


def test_a_blind_model_can_be_declared_blind(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    (tmp_path / "blindly.py").write_text("def red(image, question):\n    return 'red'\n")
    option = said(capsys, ask_words("q.jsonl", model="python:blindly:red"), r"must say so \((\S+)\)")
    assert main(ask_words("q.jsonl", model=f"python:blindly:red,{option}")) == 0


def test_a_world_with_no_scene_in_a_split_names_one_that_has_some(capsys):
    spec = said(capsys, ask_words("world:val,scenes=1,size=64"), r"or (world:\w+)\.")
    assert ask(f"{spec},scenes=1,size=64") == 0


def test_scores_of_several_suites_are_chosen_as_the_message_says(tmp_path):
    write_questions(tmp_path / "q.jsonl", 8)
    result = evaluate("constant:white", "q.jsonl", ["accuracy", "rad"])
    suite = refused(lambda: result.score("accuracy.all"), r"Say which: suite='(\w+)'")
    assert result.score("accuracy.all", suite=suite).n == 8
    assert main([*ask_words("q.jsonl"), "--suite", "rad"]) == 0


def test_a_requirement_on_several_suites_names_its_suite_as_the_message_says(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 8)
    assert main([*ask_words("q.jsonl"), "--suite", "rad"]) == 0
    spelled = said(capsys, ["gate", "o", "--require", "accuracy.all>=0"], r"Say which: (\S+) or")
    assert main(["gate", "o", "--require", f"{spelled}>=0"]) == 0


def test_bad_records_are_left_out_as_the_message_says(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    with (tmp_path / "q.jsonl").open("a") as file:
        file.write('{"id": 99, "image": 1}\n')
    option = said(capsys, ask_words("q.jsonl"), r"(--skip-bad)")
    assert ask("q.jsonl", option) == 0


def test_a_plain_export_takes_no_prompt_and_others_do(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    assert main(["build", "accuracy", "--data", "q.jsonl", "--quiet", "--output", "bench"]) == 0
    export = ["export", "bench/groups.jsonl", "--format", "jsonl", "--output", "e"]
    said(capsys, [*export, "--prompt", "Briefly."], r"(add the prompt where you ask them)")
    assert main(export) == 0


def test_too_many_failures_name_the_limit_that_lets_them_pass(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    (tmp_path / "fails.py").write_text("def fail(image, question):\n    raise ValueError('no')\n")
    words = ask_words("q.jsonl", model="python:fails:fail,blind=true")
    assert main(words) == 3
    assert "max_failures sets the limit" in capsys.readouterr().err
    assert main([*words, "--max-failures", "1"]) == 0


def test_a_benchmark_on_disk_can_be_given_as_data(tmp_path, capsys):
    """`askew build --output bench` and then `--data bench` was refused, and the remedy gave the originals alone."""
    write_questions(tmp_path / "q.jsonl", 8)
    assert main(["build", "rad", "--data", "q.jsonl", "--quiet", "--output", "bench"]) == 0
    for number, data in enumerate(("bench", "bench/groups.jsonl")):
        assert main(ask_words(data, suite="rad", output=f"o{number}")) == 0
    first, second = ((tmp_path / f"o{number}" / "groups.jsonl").read_bytes() for number in (0, 1))
    assert first == second
    assert main(["export", "bench", "--format", "jsonl", "--output", "e"]) == 0


def test_carets_runs_with_the_scenes_that_the_message_asks_for(world, tmp_path, capsys):
    asked = f"gqa:{world}/gqa/val_questions.json"
    build = ["build", "carets", "--quiet", "--output", "bench", "--data"]
    option = said(capsys, [*build, asked], r"e\.g\. gqa:FILE,(scenes=)FILE\.")
    enough = tmp_path / "w"
    assert main(["world", "--scenes", "80", "--size", "64", "--quiet", "--output", str(enough)]) == 0
    parts = enough / "gqa" / "val_questions.json", enough / "gqa" / "val_sceneGraphs.json"
    assert main([*build, f"gqa:{parts[0]},{option}{parts[1]}"]) == 0


def test_a_report_is_written_to_another_folder_or_over_the_old_one(tmp_path, capsys):
    """Another page in the same folder was refused too: the tables beside it are of the first report."""
    write_questions(tmp_path / "q.jsonl", 4)
    assert ask("q.jsonl") == main(["report", "o", "--output", "page.html"]) == 0
    assert main(ask_words("q.jsonl", model="constant:no", output="p")) == 0
    for page in ("page.html", "other.html"):
        report = ["report", "o", "p", "--output", page]
        assert said(capsys, report, r"Give --output in (another folder)")
        option = said(capsys, report, r"or add (--overwrite) to replace it")
    assert main(["report", "o", "p", "--output", "elsewhere/page.html"]) == 0
    assert main([*report, option]) == 0


def test_a_folder_that_holds_something_else_is_left_alone_or_overwritten(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    assert ask("q.jsonl") == 0
    (tmp_path / "mine").mkdir()
    for name in ("notes.txt", "notes.jsonl"):
        (tmp_path / "mine" / name).write_text("mine")
    commands = [
        ask_words("q.jsonl", model="constant:no"),
        ask_words("q.jsonl", output="mine"),
        ["build", "accuracy", "--data", "q.jsonl", "--quiet", "--output", "o"],
        ["world", "--scenes", "1", "--size", "64", "--quiet", "--output", "o"],
        ["export", "o2", "--format", "jsonl", "--name", "notes", "--output", "mine"],
        ["compare", "o2", "o2", "--output", "mine"],
    ]
    assert ask("q.jsonl", output="o2") == 0
    for number, words in enumerate(commands):
        instead = said(capsys, words, r"(Give another (?:folder as )?--output, or add --overwrite)")
        place = words.index("--output") + 1
        assert main([*words[:place], f"new{number}", *words[place + 1 :]]) == 0, words
        assert main([*words, instead.split()[-1]]) == 0, words
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"


def test_different_modes_are_unified_as_the_table_says(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    (tmp_path / "speaks.py").write_text("def say(image, question):\n    return 'White.'\n")
    models = {"a": "constant:white", "b": "python:speaks:say,blind=true"}
    for name, model in models.items():
        assert main(ask_words("q.jsonl", model=model, output=name)) == 0
    capsys.readouterr()
    assert main(["compare", "a", "b"]) == 0
    option = taken(r"(--accuracy \w+) scores all runs in one", " ".join(capsys.readouterr().out.split()))
    for name, model in models.items():
        assert main([*ask_words("q.jsonl", model=model, output=name), *option.split()]) == 0
    capsys.readouterr()
    assert main(["compare", "a", "b"]) == 0
    assert "different modes" not in capsys.readouterr().out
    assert main(ask_words("q.jsonl", model=models["b"], output="b")) == 0
    options = taken(r"(--extract \w+ --accuracy \w+) scores the words", " ".join(capsys.readouterr().out.split()))
    assert main([*ask_words("q.jsonl", model=models["b"], output="b"), *options.split()]) == 0
    assert "correct only because" not in capsys.readouterr().out


def test_the_error_for_a_suite_that_contradicts_the_command_says_which_option_to_drop(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    words = [*ask_words("q.jsonl", suite="accuracy:accuracy=exact"), "--accuracy", "robust"]
    assert said(capsys, words, r"contradict each other\. (Leave one of them out)")
    assert main(words[:-2]) == main([*ask_words("q.jsonl", output="p"), *words[-2:]]) == 0


def test_missing_models_suites_and_names_are_given_as_the_message_shows(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    model = refused(lambda: evaluate([], "q.jsonl"), r"give one, e\.g\. model='([^']+)'")
    suite = refused(lambda: evaluate(model, "q.jsonl", []), r"at least one, e\.g\. suite='(\w+)'")
    assert evaluate([model], "q.jsonl", [suite])
    words = [*ask_words("q.jsonl"), "--name", "a", "--name", "b"]
    option = said(capsys, words, r"Give one \((--name)\) for each")
    assert main([*ask_words("q.jsonl"), option, "a"]) == 0


def test_a_gate_is_spelled_as_the_message_shows(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    assert ask("q.jsonl") == 0
    gate = ["gate", "o", "--require"]
    shown = said(capsys, [*gate, "accuracy.all=0"], r"Write it as metric(\S+), or metric@")
    assert main([*gate, f"accuracy.all{shown.replace('0.7', '0')}"]) == 0
    for sign in (
        said(capsys, [*gate, "accuracy.all=0"], r"the signs are (.+), the value").replace(" and ", ", ").split(", ")
    ):
        assert main([*gate, f"accuracy.all{sign}0"]) in (0, 1)
    shown = said(capsys, [*gate, "accuracy.all=0"], r"a percentage such as (\d+%)\.")
    assert main([*gate, f"accuracy.all<={shown}"]) == 0


def test_a_name_in_the_configuration_or_of_a_kind_is_one_of_those_listed(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 4)
    for wrong, right in (("seed: x", "seed: 1"), ("quiet: perhaps", "quiet: true")):
        given = f"model: constant:yes\ndata: q.jsonl\nsuite: accuracy\noutput: {right[:4]}\n"
        (tmp_path / "run.yaml").write_text(given + wrong)
        assert said(capsys, ["run", "--config", "run.yaml"], r"(whole number|true or false)")
        (tmp_path / "run.yaml").write_text(given + right)
        assert main(["run", "--config", "run.yaml"]) == 0
    (tmp_path / "run.yaml").write_text("rad")
    line = said(capsys, ["run", "--config", "run.yaml"], r"one a line, such as '(.+)'")
    (tmp_path / "run.yaml").write_text(f"{line}\nmodel: constant:yes\ndata: q.jsonl\noutput: d\nquiet: true\n")
    assert main(["run", "--config", "run.yaml"]) == 0
    export = ["export", "d", "--output", "e", "--format", "jsonl", "--name"]
    assert said(capsys, [*export, "a b"], r"may only have (letters, digits, - and _)")
    assert main([*export, "a-b_1"]) == 0
