"""Questions about several images: what endpoints and chat models are sent, and who refuses them."""

from __future__ import annotations

import base64
import io
import json

import pytest
from fault_server import FaultServer, ok
from PIL import Image
from plain_image import image_bytes

from askew.engine.components import as_model
from askew.models.endpoint.openai import OpenAI
from askew.models.python_function import CallableModel
from askew.types import ImageRef, Question
from askew.verbs import ModelFacts

RED, BLUE, LIME = (ImageRef(color, data=image_bytes(color)) for color in ("red", "blue", "lime"))
TWO = Question("two", RED, "Is <image 2> older than <image 1>?", more_images=(BLUE,))
THREE = Question("three", RED, "Which is the oldest?", more_images=(BLUE, LIME))


def parts(content):
    """The parts of a message, each image as the color of its first pixel."""
    found = []
    for part in content:
        if part["type"] == "text":
            found.append(part["text"])
        else:
            data = base64.b64decode(part["image_url"]["url"].partition(";base64,")[2])
            found.append(Image.open(io.BytesIO(data)).convert("RGB").getpixel((0, 0)))
    return found


@pytest.mark.usefixtures("no_key")
def test_an_endpoint_gets_all_images_where_the_text_places_them():
    with FaultServer(lambda request: ok()) as server:
        model = OpenAI("any", base_url=server.url, prompt="{question}", concurrency=1)
        assert [one.answer for one in model.answer([TWO, THREE])] == ["yes", "yes"]
        bodies = [request.body["messages"][0]["content"] for request in server.requests]
    red, blue, lime = (255, 0, 0), (0, 0, 255), (0, 255, 0)
    assert sorted(map(parts, bodies), key=len) == [
        [red, blue, lime, "Which is the oldest?"],
        ["Is ", blue, " older than ", red, "?"],
    ]
    assert model.preview(TWO).splitlines()[1:] == [
        "user: Is [image of 64 x 48 pixels, about 255 tokens]",
        " older than [image of 64 x 48 pixels, about 255 tokens]",
        "?",
    ]
    linked = json.loads(model.request(THREE, ["http://a/1.png", "http://a/2.png", "http://a/3.png"]))
    urls = [part["image_url"]["url"] for part in linked["messages"][0]["content"][:3]]
    assert urls == ["http://a/1.png", "http://a/2.png", "http://a/3.png"]
    one, two, three = (model.estimate([question]).read for question in (Question(1, RED, "Why?"), TWO, THREE))
    assert two - one > 250 > 0
    assert three - two > 200


def test_a_function_takes_one_image_unless_it_asks_for_all():
    def count(images, question):
        return str(len(images))

    several = CallableModel(count, several_images=True)
    asked = [TWO, THREE, Question(1, RED, "Why?"), Question(2, None, "Why?")]
    assert [one.answer for one in several.answer(asked)] == ["2", "3", "1", "0"]
    single = CallableModel(lambda image, question: "red")
    said = single.answer([TWO, Question(1, RED, "Why?")])
    assert [one.answer for one in said] == [None, "red"]
    assert "about 2 images, and one is taken here" in said[0].error
    takes = [ModelFacts(model).takes(TWO) for model in (several, single, CallableModel(count, blind=True))]
    assert takes == [True, False, True]


FAMILIES = ("qwen2_vl", "qwen3_vl", "llava", "idefics3", "internvl", "gemma3")


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # transformers'
@pytest.mark.parametrize("name", FAMILIES)
def test_a_chat_model_sees_every_image(name, tmp_path):
    """Alone and in a batch with questions about one image, it answers as transformers does with the same images."""
    torch = pytest.importorskip("torch", reason="the extra hf is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")
    import hf_families
    import hf_folders
    from hf_asking import IMAGES, QUESTIONS

    folder = (getattr(hf_folders, name, None) or hf_families.FAMILIES[name])(tmp_path / name)
    model = as_model(f"hf:{folder},max_new_tokens=5").what
    assert ModelFacts(model).takes(TWO)
    first, second, third = IMAGES
    several = [
        Question("a", first, "Is <image 2> older than <image 1>?", more_images=(second,)),
        Question("b", second, "Is <image 2> older than <image 1>?", more_images=(first,)),
        Question("c", first, "Which is the oldest?", more_images=(second, third)),
    ]
    mixed = [several[0], QUESTIONS[0], several[1], QUESTIONS[1], several[2], QUESTIONS[3]]
    alone = [model.answer([question])[0] for question in mixed]
    assert not [one.error for one in alone if one.failed]
    assert [one.answer for one in model.answer(mixed)] == [one.answer for one in alone]

    loaded, asked = model.runtime.loaded, several[2]
    images = [Image.open(io.BytesIO(image.data)) for image in asked.images]
    content = [*[{"type": "image"}] * 3, {"type": "text", "text": model.fill_prompt(asked)}]
    text = loaded.processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
    special = {"add_special_tokens": False} if text.startswith("<s>") else {}
    inputs = loaded.processor(text=[text], images=[images], return_tensors="pt", **special)
    bare = transformers.AutoModelForImageTextToText.from_pretrained(folder).eval()
    with torch.inference_mode():
        tokens = bare.generate(**inputs, max_new_tokens=5, do_sample=False)[0, inputs["input_ids"].shape[1] :]
    assert alone[4].answer == loaded.processor.tokenizer.decode(tokens, skip_special_tokens=True).strip()
    placed = model.preview(several[0])
    assert placed.count(loaded.image_token) >= 2
    assert placed.index("Is ") < placed.index("older")


def test_models_of_one_image_refuse_several(tmp_path):
    pytest.importorskip("torch", reason="the extra hf is not installed")
    pytest.importorskip("transformers", reason="the extra hf is not installed")
    import hf_folders

    for name in ("vilt", "blip"):
        model = as_model(f"hf:{getattr(hf_folders, name)(tmp_path / name)}").what
        assert not ModelFacts(model).takes(TWO)
        said = model.answer([TWO, Question(1, RED, "Is it red?")])
        assert said[0].failed
        assert "2 images" in said[0].error
        assert not said[1].failed
    bundled = as_model("bundled:xnm").what
    assert not ModelFacts(bundled).takes(TWO)
    assert "2 images" in bundled.answer([TWO])[0].error
