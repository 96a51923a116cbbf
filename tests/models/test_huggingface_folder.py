"""Folders and hub ids before anything is loaded: found or refused at once, identified by content."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from askew.errors import BadImage, DataError, ModelError
from askew.models.huggingface import folder as hf_folder
from askew.models.huggingface.chat_template import answer_after_thought
from askew.models.huggingface.folder import digest, find, prompts, read_labels
from askew.models.huggingface.visual_inputs import Regions
from askew.types import ImageRef, Question

VILT = {"architectures": ["ViltForQuestionAnswering"], "model_type": "vilt", "id2label": {"1": "no", "0": "yes"}}


def safetensors(content=b"w"):
    """A valid file of weights, with one tensor of this many bytes."""
    entry = {"dtype": "U8", "shape": [len(content)], "data_offsets": [0, len(content)]}
    header = json.dumps({"weight": entry}).encode()
    return len(header).to_bytes(8, "little") + header + content


def saved(path, config=VILT, weights=None):
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(config))
    (path / "model.safetensors").write_bytes(safetensors() if weights is None else weights)
    return path


def test_a_folder_is_found_and_its_config_read(tmp_path):
    folder = find(str(saved(tmp_path / "mine")))
    assert (folder.name, folder.revision, folder.task, folder.dtype) == ("mine", None, "classify", "float32")
    assert folder.labels(None) == ("yes", "no")
    assert folder.prompt("classify") == "{question}"


@pytest.mark.parametrize(
    ("path", "message"),
    [("./nowhere", "there is no such folder"), ("/no/where/at/all", "there is no such folder"), ("nowhere", "no such")],
)
def test_a_folder_that_is_not_there_is_refused_at_once(path, message):
    with pytest.raises(ModelError, match=message):
        find(path)


def test_weights_that_are_git_lfs_pointers_are_refused_with_the_remedy(tmp_path):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 470000000\n"
    with pytest.raises(ModelError, match=r"model\.safetensors.*Git LFS.*git lfs pull"):
        find(str(saved(tmp_path / "mine", weights=pointer)))


def test_a_folder_that_is_not_a_model_is_refused_at_once(tmp_path):
    with pytest.raises(ModelError, match=r"no config\.json"):
        find(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="there are no weights"):
        find(str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(safetensors())
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(DataError, match=r"not JSON .*Copy the model again"):
        find(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="has no revision"):
        find(str(tmp_path), revision="main")


@pytest.mark.parametrize(
    ("config", "task", "dtype"),
    [
        ({"architectures": ["BlipForQuestionAnswering"], "model_type": "blip"}, "generate", "float32"),
        ({"architectures": ["LlavaForConditionalGeneration"], "torch_dtype": "float16"}, "generate", "float16"),
        ({"architectures": ["Qwen2VL"], "text_config": {"dtype": "torch.bfloat16"}}, "generate", "bfloat16"),
        ({"visual_feat_dim": 2048, "id2label": {"0": "yes"}}, "regions", "float32"),
        ({"visual_embedding_dim": 2048}, "regions", "float32"),
    ],
)
def test_the_config_gives_the_task_and_the_number_format(tmp_path, config, task, dtype):
    folder = find(str(saved(tmp_path / "m", config)))
    assert (folder.task, folder.dtype) == (task, dtype)


def test_the_content_hash_covers_every_relevant_file_and_no_other(tmp_path):
    folder = saved(tmp_path / "a")
    (folder / "vocab.txt").write_text("cat\n")
    first = digest(folder)
    assert digest(saved(tmp_path / "other")) != first
    (folder / "README.md").write_text("notes")
    (folder / "training_args.bin").write_bytes(b"x")
    (folder / "pytorch_model.bin").write_bytes(b"the same in another format")
    (folder / "checkpoint-100").mkdir()
    (folder / "checkpoint-100" / "model.safetensors").write_bytes(b"old")
    assert digest(folder) == first
    (folder / "vocab.txt").write_text("dog\n")
    second = digest(folder)
    assert second != first
    (folder / "model.safetensors").write_bytes(b"weightz")
    third = digest(folder)
    assert third not in (first, second)
    (folder / "qformer_tokenizer").mkdir()
    (folder / "qformer_tokenizer" / "vocab.txt").write_text("cat\n")
    assert digest(folder) != third


def test_a_large_file_is_hashed_once_until_it_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hf_folder, "_LARGE", 1000)
    read = []
    original = hf_folder.file_sha256
    monkeypatch.setattr(hf_folder, "file_sha256", lambda path: read.append(os.path.basename(path)) or original(path))
    folder = saved(tmp_path / "big", weights=safetensors(b"x" * 5000))
    first = digest(folder)
    assert digest(folder) == first
    assert read.count("model.safetensors") == 1
    (folder / "model.safetensors").write_bytes(b"y" * 5001)
    assert digest(folder) != first
    assert read.count("model.safetensors") == 2


def test_prompts_have_a_place_for_the_question(tmp_path):
    assert all("{question}" in prompt for prompt in prompts().values())
    config = {"architectures": ["LlavaForConditionalGeneration"], "model_type": "llava"}
    folder = saved(tmp_path / "m", config)
    assert find(str(folder)).prompt("generate").startswith("USER: {image}\n{question}")
    (folder / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}')
    assert find(str(folder)).prompt("generate") == prompts()["chat"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "yes\nno\n"),
        ("listed.txt", '["yes",\n"no"]'),
        ("b.json", '["yes", "no"]'),
        ("c.json", '{"1": "no", "0": "yes"}'),
    ],
)
def test_answers_come_from_a_labels_file(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert read_labels(str(tmp_path / name)) == ("yes", "no")


@pytest.mark.parametrize("content", ["[1, 2]", "{", '{"1": "no"}', "[]"])
def test_a_labels_file_without_answers_is_refused(tmp_path, content):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(DataError, match="answers"):
        read_labels(str(tmp_path / "a.json"))


def test_unnamed_answers_are_refused(tmp_path):
    folder = find(str(saved(tmp_path / "m", {**VILT, "id2label": {"0": "LABEL_0", "1": "LABEL_1"}})))
    with pytest.raises(ModelError, match="labels=FILE"):
        folder.labels(None)


HUB = """
import os, sys
from askew.errors import AskewError
from askew.models.huggingface.folder import find
before = dict(os.environ)
for name, revision, download in [("org/here", None, False), ("org/here", "v1", False), ("org/gone", None, False),
                                 ("org/here", "v2", False), ("org/part", None, False), ("org/gone", None, True)]:
    try:
        folder = find(name, revision, download)
        print(folder.name, folder.content, folder.task)
    except AskewError as error:
        print(type(error).__name__, error)
assert dict(os.environ) == before
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""


def test_hub_ids_come_from_the_local_cache_and_are_identified_by_commit(tmp_path):
    pytest.importorskip("huggingface_hub", reason="the extra hf is not installed")
    commit = "0123456789abcdef0123456789abcdef01234567"
    for name in ("here", "part"):
        repository = tmp_path / "hub" / f"models--org--{name}"
        saved(repository / "snapshots" / commit)
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text(commit)
        (repository / "refs" / "v1").write_text(commit)
    (repository / "snapshots" / commit / "model.safetensors").unlink()
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    environment.pop("HF_HUB_CACHE", None)
    done = subprocess.run([sys.executable, "-c", HUB], env=environment, capture_output=True, text=True, check=True)
    main, pinned, gone, unknown, part, download = done.stdout.strip().splitlines()
    assert main == pinned == f"org/here {commit} classify"
    assert gone.startswith("ModelError hf:org/gone: there is no such folder")
    assert "--allow-download" in gone
    assert "at revision 'v2'" in unknown
    assert "--allow-download" in part
    assert "cannot be downloaded" in download


def regions(tmp_path, **arrays):
    path = tmp_path / "regions.npz"
    np.savez(path, **arrays)
    return Regions(str(path))


def test_region_features_by_content_then_by_id(tmp_path):
    image = ImageRef(42, data=b"abc")
    content = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    ones, boxes = np.ones((2, 3)), np.zeros((2, 4))
    arrays = {"42/features": ones, "42/boxes": boxes, f"{content}/features": 2 * ones, f"{content}/boxes": boxes}
    features, found = regions(tmp_path, **arrays).of(image)
    assert features.tolist() == [[2, 2, 2]] * 2
    assert (features.dtype, found.shape) == (np.float32, (2, 4))
    assert regions(tmp_path, **arrays).of(ImageRef(42))[0].tolist() == [[1, 1, 1]] * 2


@pytest.mark.parametrize(
    ("features", "boxes", "message"),
    [
        (np.ones((2, 3)), np.zeros((3, 4)), "Expected"),
        (np.ones(3), np.zeros((3, 4)), "Expected"),
        (np.ones((0, 3)), np.zeros((0, 4)), "Expected"),
        (np.ones((1, 3)), np.full((1, 4), 200.0), "Divide x by the width"),
    ],
)
def test_region_features_of_a_wrong_shape_are_refused(tmp_path, features, boxes, message):
    table = regions(tmp_path, **{"1/features": features, "1/boxes": boxes})
    with pytest.raises(BadImage, match=message):
        table.of(ImageRef(1))


def test_a_file_without_region_features_is_refused(tmp_path):
    with pytest.raises(DataError, match="no region features in it"):
        regions(tmp_path, other=np.ones(3))
    (tmp_path / "x.npz").write_bytes(b"PK nonsense")
    with pytest.raises(DataError, match="cannot be read as region features"):
        Regions(str(tmp_path / "x.npz"))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("no", "no"),
        (" <think>\nA long\nthought.</think>\n\nblue ", "blue"),
        ("<THINK>a</THINK>b<think>c</think> d", "b d"),
        ("so it must be\n</think>\n2", "2"),
        ("", ""),
    ],
)
def test_thoughts_are_not_answers(text, answer):
    prediction = answer_after_thought(Question(1, None, "?"), text, (3, 4))
    assert (prediction.answer, prediction.error, prediction.tokens) == (answer, None, (3, 4))
    assert prediction.raw == (text if "think" in text.lower() else None)


def test_a_thought_without_an_end_is_a_failure_not_an_answer():
    prediction = answer_after_thought(Question(1, None, "?"), "<think>It might be", (3, 16))
    assert prediction.failed
    assert "after 16 tokens" in prediction.error
