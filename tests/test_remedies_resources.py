"""Remedies in errors about vectors, word lists, tables and experiments work when followed literally."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

from askew.data.read_predictions import read_predictions
from askew.experiments import ExperimentPlan
from askew.language.paraphrase_tables import read_ppdb
from askew.language.translate import translator
from askew.language.wordnet import wordnet_folder
from askew.rank.sentence_encoders import Vectors, pooling_of
from remedies import refused

TEXTS = ["Is it red?", "Is it blue?"]


def test_vector_files_are_saved_as_the_message_says(tmp_path):
    file = tmp_path / "v.npz"

    def message(pattern):
        return refused(lambda: Vectors(str(file)).encode(TEXTS), pattern)

    file.write_text("no vectors")
    save = getattr(np, message(r"Save it with numpy\.(\w+)"))
    save(file, vectors=np.eye(2))
    names = message(r"it must hold (\w+ and \w+)").split(" and ")
    save(file, **dict(zip(names, (np.array(TEXTS, object), np.eye(2)), strict=True)))
    list_of_str = TEXTS[:1]
    assert message(r"Save (numpy\.array\(list_of_str\))")
    texts = np.array(list_of_str)
    save(file, texts=texts, vectors=np.eye(2))
    assert message(r"There must be (a row per text)")
    save(file, texts=texts, vectors=np.eye(2)[:1])
    missing = message(r"no vector for 1 of 2 texts, e\.g\. '(.+?)'\. Add them")
    save(file, texts=np.array([*list_of_str, missing]), vectors=np.eye(2))
    assert Vectors(str(file)).encode(TEXTS).tolist() == np.eye(2).tolist()


def test_a_sentence_encoder_of_another_kind_is_given_as_vectors(tmp_path):
    (tmp_path / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Asym", "path": ""}]))
    assert refused(lambda: pooling_of(tmp_path), r"give the result as (vectors):FILE")
    (tmp_path / "modules.json").write_text("{")
    assert refused(lambda: pooling_of(tmp_path), r"(Copy or download the folder again)")
    pooling = {"type": "sentence_transformers.models.Pooling", "path": "pool"}
    (tmp_path / "modules.json").write_text(json.dumps([pooling]))
    (tmp_path / "pool").mkdir()
    (tmp_path / "pool" / "config.json").write_text('{"pooling_mode": "lasttoken"}')
    for mode in (
        refused(lambda: pooling_of(tmp_path), r"is not understood; (.+) is\.").replace(" or ", ", ").split(", ")
    ):
        (tmp_path / "pool" / "config.json").write_text(json.dumps({"pooling_mode": mode}))
        assert pooling_of(tmp_path) == mode


def test_wordnet_and_translators_are_found_where_the_message_says(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKEW_WORDNET", str(tmp_path))
    wordnet_folder.cache_clear()
    try:
        (tmp_path / refused(wordnet_folder, r"there is no (data\.noun)\. Give the folder")).write_text("")
        assert wordnet_folder() == str(tmp_path)
    finally:
        monkeypatch.undo()
        wordnet_folder.cache_clear()
    assert translator(refused(lambda: translator("babel"), r"Give (bergamot), or"))
    there, back = tmp_path / "there", tmp_path / "back"
    spec = refused(lambda: translator("babel"), r"or (marian:THERE:BACK) with two model folders")
    spec = spec.replace("THERE", str(there)).replace("BACK", str(back))
    assert refused(lambda: translator(spec), r"(Give two folders)")
    there.mkdir()
    back.mkdir()
    assert translator(spec)


def test_a_ppdb_file_has_the_fields_and_scores_that_the_message_names(tmp_path):
    path = tmp_path / "ppdb"
    path.write_text("dog ||| hound\n")
    fields = refused(lambda: read_ppdb([str(path)]), r"\((LHS .+)\)\. Give a PPDB 2\.0 file")
    values = {"LHS": "[NN]", "source": "dog", "target": "hound", "alignment": "0-0", "entailment": "Equivalence"}

    def line(score):
        return " ||| ".join({**values, "features": f"PPDB2.0Score={score}"}[name] for name in fields.split(" ||| "))

    path.write_text(f"{line('high')}\n{line('4.5')}\n")
    assert refused(lambda: read_ppdb([str(path)]), r"(Fix or delete the line)")
    path.write_text(f"{line('4.5')}\n")
    least = float(refused(lambda: read_ppdb([str(path)], score=-1), r"Give a number from (\d)"))
    assert [rule.target for rule in read_ppdb([str(path)], score=least).of("dog", "NN")] == ["hound"]


def test_tables_and_archives_of_other_harnesses_are_repaired_as_the_message_says(tmp_path):
    table = tmp_path / "table.csv"

    def message(path, pattern):
        return refused(lambda: list(read_predictions(path)), pattern)

    table.write_text("id,prediction\n1,yes, it is\n")
    assert message(table, r"(write the table again with quotes around text)")
    table.write_text('id,prediction\n1,"yes, it is"\n')
    assert list(read_predictions(table)) == [("1", "yes, it is")]
    table.write_text("id,prediction\n1,rosé\n", encoding="latin-1")
    encoding = message(table, r"Save the file as (UTF-8)")
    table.write_text("id,prediction\n1,rosé\n", encoding=encoding)
    assert list(read_predictions(table)) == [("1", "rosé")]
    packed = tmp_path / "table.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(table, "table.csv")
    assert message(packed, r"(Unpack it and give one of its files)")
    with zipfile.ZipFile(packed) as archive:
        assert list(read_predictions(archive.extract("table.csv", tmp_path / "unpacked"))) == [("1", "rosé")]
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) // 2])
    assert message(packed, r"(Copy it again)")


def test_another_experiment_goes_to_another_folder(tmp_path):
    def begin(name, folder="one"):
        plan = ExperimentPlan(tmp_path / folder)
        plan.begin(name)
        (plan.output / "networks").mkdir(exist_ok=True)

    begin("q3r")
    begin("q3r")
    option = refused(lambda: begin("rad"), r"Give another (--output)")
    assert option == "--output"
    begin("rad", "another")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "thesis.txt").write_text("mine")
    assert refused(lambda: begin("rad", "foreign"), r"(Give another folder as --output)")
    with pytest.raises(FileNotFoundError):
        (tmp_path / "foreign" / "plan.json").stat()
