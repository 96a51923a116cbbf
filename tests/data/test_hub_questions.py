"""Questions in files of hubs and of training code, with made-up records of the shapes that are published."""

from __future__ import annotations

import io
import json
import tarfile

import pyarrow
import pytest
from pyarrow import parquet

import askew
from askew.data.hub_questions import HubQuestions
from askew.data.match_predictions import match_predictions
from askew.data.open_path import open_path
from askew.errors import BadImage, BadRecord, DataError

PNG = b"\x89PNG" + bytes(40)
CELL = {"bytes": PNG, "path": "1.png"}


def rows(path, records, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(records), path, **options)
    return path


def read(path, **options):
    data = open_path(path) if not options else HubQuestions(str(path), **options)
    assert isinstance(data, HubQuestions)
    return list(data.questions())


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        # VQAv2: ten answers of people, each with a confidence
        (
            {"question_id": 7, "question": "Is it?", "image_id": 1, "image": CELL, "multiple_choice_answer": "yes",
             "answers": [{"answer": a, "answer_confidence": "yes", "answer_id": 1} for a in ("yes", "no", "yes")]},
            (7, "Is it?", ("yes", "no", "yes"), ()),
        ),
        # ScienceQA: the index of an option, and a hint
        (
            {"image": None, "question": "Which?", "choices": ["a", "b"], "answer": 1, "hint": "Look."},
            (1, "Which?", ("b",), ("a", "b")),
        ),
        # MMMU: the options as the text of a list, the answer a letter
        (
            {"id": "validation_Art_1", "question": "Which? <image 1>", "options": "['a', 'b']", "answer": "B",
             "image_1": CELL, "image_2": None},
            ("validation_Art_1", "Which? <image 1>", ("b",), ("a", "b")),
        ),
        # AI2D: the index of an option as text
        (
            {"question": "Which?", "options": ["5", "1"], "answer": "0", "image": CELL},
            (1, "Which?", ("5",), ("5", "1")),
        ),
        # RealWorldQA: the options are in the question
        (
            {"image_path": "1.webp", "question": "Which?\nA. x\nB. y", "answer": "B", "image": CELL},
            (1, "Which?\nA. x\nB. y", ("B",), ()),
        ),
        # GQA with its images in the rows
        (
            {"id": "01", "imageId": "n1", "question": "Is it?", "answer": "no", "fullAnswer": "No.", "image": CELL},
            ("01", "Is it?", ("no",), ()),
        ),
        # columns A to D and no image
        (
            {"index": 3, "query": "Which?", "A": "x", "B": "y", "C": None, "answer": "(A)"},
            (3, "Which?", ("x",), ("x", "y")),
        ),
    ],
)  # fmt: skip
def test_published_columns(tmp_path, record, expected):
    (question,) = read(rows(tmp_path / "test-00000-of-00001.parquet", [record]))
    assert (question.id, question.text, question.answers, question.choices) == expected
    assert (question.image.data if question.image else None) == (PNG if CELL in record.values() else None)
    assert question.context == "Hint: Look." if "hint" in record else question.context == ""


def test_shards_are_read_in_order_and_equal_images_are_one(tmp_path):
    for shard in range(3):
        records = [
            {"question_id": 40 * shard + n, "question": "Is it?", "answer": "yes", "image": CELL} for n in range(40)
        ]
        rows(tmp_path / "data" / f"test-0000{shard}-of-00003.parquet", records, row_group_size=8)
    found = read(tmp_path)
    assert [question.id for question in found] == list(range(120))
    assert len({question.image.id for question in found}) == 1


def test_one_split_of_several_must_be_picked(tmp_path):
    for split, answer in (("validation", "yes"), ("test", "no")):
        rows(tmp_path / f"{split}-00000-of-00001.parquet", [{"id": 1, "question": "Is it?", "answer": answer}])
    with pytest.raises(DataError, match=r"are: test \(1\), val \(1\). Pick one: hub:.*,split=test"):
        open_path(tmp_path)
    (question,) = read(tmp_path, split="validation")
    assert question.answers == ("yes",)


def test_images_in_files_of_their_own(tmp_path):
    """lmms-lab's GQA: a folder of questions, and one of images."""
    asked = {"id": "01", "imageId": "n1", "question": "Is it?", "answer": "no", "isBalanced": True}
    path = rows(tmp_path / "testdev_balanced_instructions" / "testdev-00000-of-00001.parquet", [asked])
    rows(tmp_path / "testdev_balanced_images" / "testdev-00000-of-00001.parquet", [{"id": "n1", "image": CELL}])
    (question,) = read(path)
    assert (question.image.id, question.image.data) == ("n1", PNG)
    rows(path, [{**asked, "imageId": "n2"}])
    with pytest.raises(BadImage, match=r"no row of .*testdev_balanced_images has the image 'n2'"):
        read(path)


def test_a_saved_folder_of_datasets(tmp_path):
    """``save_to_disk`` writes Arrow streams, a folder for each split, and caches beside them."""
    for split in ("train", "test"):
        (tmp_path / split).mkdir()
        table = pyarrow.Table.from_pylist(
            [{"id": n, "question": "Is it?", "answer": split, "image": CELL} for n in range(3)]
        )
        for name in ("data-00000-of-00001.arrow", "cache-1f.arrow"):
            with pyarrow.ipc.new_stream(tmp_path / split / name, table.schema) as stream:
                stream.write_table(table, max_chunksize=2)
        (tmp_path / split / "state.json").write_text("{}")
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    found = read(tmp_path, split="test")
    assert [(q.id, q.answers, q.image.data) for q in found] == [(n, ("test",), PNG) for n in range(3)]


def test_a_missing_column_is_answered_with_those_that_are_there(tmp_path):
    path = rows(tmp_path / "a.parquet", [{"number": 5, "frage": "Is it?", "antwort": "yes"}])
    with pytest.raises(
        DataError, match=r"no column for the question\. Its columns are number, frage, antwort\. Name it"
    ):
        open_path(path)
    (question,) = read(path, question="frage", answer="antwort", id="number")
    assert (question.id, question.text, question.answers) == (5, "Is it?", ("yes",))


def test_fields_of_json_have_other_names(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"frage": "Is it?", "antwort": "yes", "id": 5}\n')
    with pytest.raises(
        DataError, match=rf"are 'frage', 'antwort', 'id'; name one 'question', .* hub:{path},question=FIELD"
    ):
        open_path(path)
    (question,) = read(path, question="frage", answer="antwort")
    assert (question.id, question.text, question.answers) == (5, "Is it?", ("yes",))


def test_bad_rows_are_named_and_can_be_skipped(tmp_path):
    record = {"id": 1, "question": "Which?", "options": ["a", "b"], "answer": 1, "images": [CELL]}
    for change, fault, message in (
        ({"answer": 2}, BadRecord, "row 1: the answer 2 is not the index of one of the 2 options"),
        ({"images": [CELL, {"bytes": b"", "path": None}]}, BadImage, "the image is .* neither bytes nor the name"),
        ({"question": None}, BadRecord, "the question is None"),
        ({"id": 2}, BadRecord, "the id 2 occurs twice. Name another column, or number the rows: hub:.*,id=row"),
    ):
        path = rows(tmp_path / "a.parquet", [{**record, **change}, {**record, "id": 2}])
        with pytest.raises(fault, match=message):
            list(open_path(path).questions())
        assert len(list(open_path(path, skip_bad=True).questions())) == 1


def test_questions_about_several_images(tmp_path):
    """BLINK, MMMU, MuirBench, and two columns: all images in order, and their places in texts and options."""
    other = {"bytes": PNG + b"2", "path": None}
    for record, text, choices, answer in (
        (
            {"idx": "v1", "sub_task": "Jigsaw", "prompt": "Which? (A) one (B) two", "question": "Which?",
             "image_1": CELL, "image_2": other, "image_3": None, "choices": ["one", "two"], "answer": "(B)"},
            "Which?", ("one", "two"), "two",
        ),
        (
            {"id": "m1", "question": "Is <image 2> like <image 1>?", "options": "['yes', '<image 2>']", "answer": "A",
             "image_2": other, "image_1": CELL},
            "Is <image 2> like <image 1>?", ("yes", "<image 2>"), "yes",
        ),
        (
            {"idx": "u1", "task": "Counting", "question": "Which is like <image>?", "options": ["<image>", "none"],
             "image_list": [CELL, other], "answer": "A"},
            "Which is like <image 1>?", ("<image 2>", "none"), "<image 2>",
        ),
        (
            {"id": 1, "question": "<image><image>\nIs it true?", "left_image": CELL, "right_image": other,
             "answer": "yes"},
            "<image 1><image 2>\nIs it true?", (), "yes",
        ),
    ):  # fmt: skip
        (question,) = read(rows(tmp_path / "several.parquet", [record]))
        assert (question.text, question.choices, question.answers) == (text, choices, (answer,))
        assert [image.data for image in question.images] == [PNG, PNG + b"2"]
    path = tmp_path / "chat.json"
    turns = [{"role": "user", "content": "<image>Is it like <image>?"}, {"role": "assistant", "content": "no"}]
    path.write_text(json.dumps([{"id": 1, "images": ["a.jpg", "b.jpg"], "messages": turns}]))
    (question,) = read(path)
    assert question.text == "<image 1>Is it like <image 2>?"
    assert [image.id for image in question.images] == ["a.jpg", "b.jpg"]


def archive(path, members):
    with tarfile.open(path, "w") as file:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return path


def test_a_webdataset_archive(tmp_path):
    record = json.dumps({"question": "Is it?", "answer": "yes"}).encode()
    path = archive(tmp_path / "vqa-000000.tar", {
        "0001.jpg": PNG, "0001.json": record, "0002.json": record, "0002.png": PNG + b"2",
    })  # fmt: skip
    found = read(path)
    assert [(q.id, q.text, q.answers, q.image.data) for q in found] == [
        ("0001", "Is it?", ("yes",), PNG), ("0002", "Is it?", ("yes",), PNG + b"2"),
    ]  # fmt: skip
    path.write_bytes(path.read_bytes()[:700])
    with pytest.raises(DataError, match="the archive is cut off or damaged"):
        list(open_path(path).questions())


LLAVA = {
    "id": "000", "image": "a.jpg", "conversations": [
        {"from": "human", "value": "<image>\nWhat is it?"}, {"from": "gpt", "value": "a dog"},
        {"from": "human", "value": "What color is it?"}, {"from": "gpt", "value": "brown"},
    ],
}  # fmt: skip
QWEN = {
    "id": "000", "images": ["a.jpg"], "messages": [
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "<image>What is it?"},
        {"role": "assistant", "content": "a dog"}, {"role": "user", "content": "What color is it?"},
        {"role": "assistant", "content": "brown"},
    ],
}  # fmt: skip
PARTS = {
    "id": "000", "messages": [
        {"role": "user", "content": [{"type": "image", "image": "a.jpg"}, {"type": "text", "text": "What is it?"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "a dog"}]},
        {"role": "user", "content": "What color is it?"}, {"role": "assistant", "content": "brown"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("record", [LLAVA, QWEN, PARTS])
def test_a_conversation_is_a_question_for_each_turn(tmp_path, record):
    (tmp_path / "a.jpg").write_bytes(PNG)
    path = tmp_path / "train.json"
    path.write_text(json.dumps([record]))
    first, second = read(path)
    assert (first.id, first.text, first.answers, first.context) == ("000", "What is it?", ("a dog",), "")
    assert (second.text, second.answers, second.context) == (
        "What color is it?",
        ("brown",),
        "Q: What is it?\nA: a dog",
    )
    assert first.image.path == second.image.path == str(tmp_path / "a.jpg")


def test_each_turn_is_about_the_images_shown_so_far(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.jpg").write_bytes(PNG)
    path = tmp_path / "train.json"

    def asked(turns, **fields):
        path.write_text(json.dumps([{"id": 1, **fields, "conversations": turns}]))
        return [(q.context, q.text, [image.id for image in q.images]) for q in read(path)]

    both = {"image": ["a.jpg", "b.jpg"]}
    first, reply = {"from": "user", "value": "<image>\nWhat is it?"}, {"from": "gpt", "value": "a dog"}
    second = {"from": "user", "value": "Is it like <image>?"}
    assert asked([first, reply, second], **both) == [
        ("", "What is it?", ["a.jpg"]),
        ("Q: <image 1>\nWhat is it?\nA: a dog", "Is it like <image 2>?", ["a.jpg", "b.jpg"]),
    ]
    assert asked([{"from": "user", "value": "Alike?"}], **both) == [("", "Alike?", ["a.jpg", "b.jpg"])]
    assert asked([{"from": "user", "value": "Hi?"}, reply, first], image="a.jpg") == [
        ("", "Hi?", []),
        ("Q: Hi?\nA: a dog", "What is it?", ["a.jpg"]),
    ]
    tags = {"from": "user", "value": "Picture 1: <img>a.jpg</img>\nPicture 2: <img>b.jpg</img>\nAlike?"}
    assert asked([tags]) == [("", "Picture 1: <image 1>\nPicture 2: <image 2>\nAlike?", ["a.jpg", "b.jpg"])]
    parts = [{"type": "text", "text": "Is"}, {"type": "image", "image": "b.jpg"}, {"type": "text", "text": "like"}]
    turn = {"role": "user", "content": [*parts, {"type": "image", "image": "a.jpg"}]}
    assert asked([turn]) == [("", "Is\n<image 1>\nlike\n<image 2>", ["b.jpg", "a.jpg"])]
    with pytest.raises(BadRecord, match="there are 2 places <image> for 0 images"):
        asked([first, reply, second])
    with pytest.raises(BadRecord, match=r"a part of it \{type: text, text\} or \{type: image, image\}"):
        asked([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "a.jpg"}}]}])


def test_questions_that_llava_asks(tmp_path):
    path = tmp_path / "llava_gqa_testdev.jsonl"
    path.write_text(
        '{"question_id": "01", "image": "n1.jpg", "text": "Is it?\\nAnswer with a word.", "category": "x"}\n'
    )
    (question,) = read(path)
    assert (question.id, question.text, question.answers) == ("01", "Is it?\nAnswer with a word.", ())


def test_mm_vet(tmp_path):
    path = tmp_path / "mm-vet.json"
    record = {"imagename": "v1_0.png", "question": "What is x?", "answer": "-1<AND>-5", "capability": ["ocr", "math"]}
    path.write_text(json.dumps({"v1_0": record}))
    data = open_path(path)
    (question,) = data.questions()
    assert (question.id, question.text, question.answers) == ("v1_0", "What is x?", ("-1<AND>-5",))
    assert "graded by GPT-4" in data.remarks[0]
    assert question.image.id == "v1_0.png"


def test_splits_are_named_by_shards(tmp_path):
    for split in ("main", "original"):
        rows(tmp_path / "data" / f"{split}-00000-of-00001.parquet", [{"id": 1, "question": "Is it?", "answer": split}])
    with pytest.raises(DataError, match=r"are: main \(1\), original \(1\)"):
        open_path(tmp_path)
    assert read(tmp_path, split="main")[0].answers == ("main",)


def test_cv_bench_by_hand(tmp_path):
    """The mean of 2D and 3D, where 2D is the mean of its two sources, however many questions each has."""
    correct = {"ADE20K": (1, 1), "COCO": (1, 0), "Omni3D": (1, 0, 0, 0)}
    records = [
        {"idx": len(marks) * 10 + n, "type": "2D", "task": "Count", "source": source, "image": CELL,
         "question": "How many?", "choices": ["1", "2"], "answer": "(A)" if mark else "(B)", "prompt": "How many?"}
        for source, marks in correct.items() for n, mark in enumerate(marks)
    ]  # fmt: skip
    path = rows(tmp_path / "test_2d.parquet", [{**record, "idx": n} for n, record in enumerate(records)])
    result = askew.evaluate("constant:A", str(path))
    assert result.score("score").value == pytest.approx(((1 + 1 / 2) / 2 + 1 / 4) / 2)
    assert result.score("accuracy.all", "tag.source=COCO").value == 0.5


def test_vlms_are_biased_by_hand(tmp_path):
    record = {"image": CELL, "topic": "Animals", "prompt": "How many legs?", "ground_truth": "5", "expected_bias": "4"}
    path = rows(tmp_path / "main-00000-of-00001.parquet", [{**record, "ID": f"a{n}"} for n in range(4)])
    answers = tmp_path / "answers.jsonl"
    said = ("{4}", "{5}", "4", "3")
    answers.write_text("".join(json.dumps({"id": f"a{n}", "answer": one}) + "\n" for n, one in enumerate(said)))
    result = askew.evaluate(f"predictions:{answers}", str(path))
    assert (result.score("accuracy.all").value, result.score("bias").value) == (0.25, 0.5)


def test_scienceqa_by_hand(tmp_path):
    """problems.json has all splits; the image of a problem is in the folder of its split and id."""
    problem = {"question": "Which?", "choices": ["a", "b"], "answer": 0, "lecture": "", "grade": "grade4", "topic": "x",
               "subject": "natural science"}  # fmt: skip
    given = [("1", "test", "", "image.png", 0), ("2", "test", "Look.", None, 1), ("3", "test", "", None, 0)]
    given.append(("4", "train", "", None, 0))
    problems = {
        key: {**problem, "split": split, "hint": hint, "image": image, "answer": answer}
        for key, split, hint, image, answer in given
    }
    path = tmp_path / "problems.json"
    path.write_text(json.dumps(problems))
    (tmp_path / "test" / "1").mkdir(parents=True)
    (tmp_path / "test" / "1" / "image.png").write_bytes(PNG)
    first, *others = read(path, split="test")
    assert first.image.path == str(tmp_path / "test" / "1" / "image.png")
    assert [question.id for question in others] == ["2", "3"]
    both = open_path(path)
    assert len(list(both.questions())) == 4
    assert f"hub:{path},split=test" in both.remarks[0]
    assert "the splits test and train" in both.remarks[0]
    result = askew.evaluate("constant:A", f"hub:{path},split=test")
    parts = {"tag.image=yes": 1.0, "tag.text=yes": 0.0, "tag.neither=yes": 1.0, "tag.grades=1-6": 2 / 3}
    for part, value in parts.items():
        assert result.score("accuracy.all", part).value == pytest.approx(value), part


def test_seed_bench(tmp_path):
    """The questions about images, by the type of the question; those about videos are left out and counted."""
    record = {"question": "Which?", "choice_a": "x", "choice_b": "y", "choice_c": "z", "choice_d": "w", "answer": "C",
              "question_type_id": 3, "segment": None}  # fmt: skip
    questions = [
        {**record, "question_id": "101", "data_id": "a.jpg", "data_type": "image"},
        {**record, "question_id": "v1", "data_id": "b.mp4", "data_type": "video"},
    ]
    path = tmp_path / "SEED-Bench.json"
    path.write_text(json.dumps({"questions": questions, "question_type": {"Instance Attributes": 3}}))
    data = open_path(path)
    (question,) = data.questions()
    assert (question.id, question.answers, question.kind.question_type) == ("101", ("z",), "3")
    assert question.image.id == "a.jpg"
    assert data.remarks[0] == "SEED-Bench: 1 questions about videos were left out."


def test_row_groups_are_read_one_by_one(tmp_path):
    """Arrow's reader once buffered the whole file in advance."""
    image = bytes(20_000)
    records = [{"id": n, "question": "Is it?", "image": {"bytes": b"%d" % n + image}} for n in range(1000)]
    path = rows(tmp_path / "a.parquet", records, row_group_size=50, compression="none", use_dictionary=False)
    del records
    before, most = pyarrow.total_allocated_bytes(), 0
    for question in open_path(path).questions():
        assert question.image.data.endswith(image)
        most = max(most, pyarrow.total_allocated_bytes() - before)
    assert most < path.stat().st_size / 4


def test_predictions_match_by_the_column_of_ids_and_whatever_marks_images_have(tmp_path):
    """lmms-eval's logs of BLINK have idx alone; those of MMMU repeat the prompt with other marks of images."""
    records = [
        {"idx": f"v{n}", "question": f"Is <image 2> like <image 1>? {n}", "image_1": CELL, "image_2": CELL,
         "answer": ("yes", "no")[n]} for n in (0, 1)
    ]  # fmt: skip
    data = open_path(rows(tmp_path / "a.parquet", records))
    log = tmp_path / "samples.jsonl"
    for prompt in (None, "Is <image> like <image>? {}\nAnswer yes or no."):
        lines = [
            {"doc_id": row, "doc": {"idx": f"v{n}"}, "resps": [[f"said {n}"]], "filtered_resps": [f"said {n}"]}
            | ({"input": prompt.format(n)} if prompt else {})
            for row, n in enumerate((1, 0))
        ]
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        matched = match_predictions(str(log), data)
        assert (matched.answers, matched.remark) == ({"v1": "said 1", "v0": "said 0"}, "")


def test_several_answers_may_be_written_as_text(tmp_path):
    record = {"id": 1, "question": "How many?", "options": "[]", "answer": "['5', 'five']", "question_type": "open"}
    (question,) = read(rows(tmp_path / "open.parquet", [record]))
    assert (question.answers, question.choices) == (("5", "five"), ())
