"""The page that shows how a network reaches its answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PIL import Image

pytest.importorskip("torch")

from tiny import NET, Colored, groups, questions

from askew.errors import UsageError
from askew.nets.net_config import MODULES, NetConfig
from askew.train.explain import write_explained
from askew.train.loop import train
from askew.types import ImageRef


@pytest.fixture(scope="module")
def illustrated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    Image.new("RGB", (40, 30), "red").save(folder / "red.png")
    asked = [replace(q, image=replace(q.image, path=str(folder / "red.png"))) for q in questions(2)]
    asked[0] = replace(asked[0], text="Is it <script>red?")
    return groups(asked)


def trained(net, folder):
    return train(net, questions(24), questions(8, 24), Colored(), output=folder, epochs=1)


def test_every_step_of_original_and_variants_is_shown(tmp_path, illustrated):
    write_explained(trained(NET, tmp_path / "net"), illustrated, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    members = sum(1 + len(group.variants) for group in illustrated)
    assert page.count("<figure>") == members * NET.steps
    assert page.count('class="region best"') == members * NET.steps
    assert page.count('class="bar"') == members * NET.steps * len(MODULES)
    assert page.count('class="right"') + page.count('class="wrong"') == members
    assert "&lt;script&gt;red?" in page
    assert "<script" not in page


def test_the_steps_of_a_trained_network_are_those_of_its_outputs(tmp_path, illustrated):
    made, asked = trained(NET, tmp_path / "net"), illustrated[1].original
    steps, output = made.steps(asked), made.look([asked])
    assert [list(step.modules.values()) for step in steps] == output.weights[0].tolist()
    assert [share for _, share in steps[0].regions] == output.attention[0][0].tolist()[: len(steps[0].regions)]
    assert list(steps[0].modules) == list(MODULES)


def test_a_network_of_pixels_shows_the_cells_of_its_grid(tmp_path, illustrated):
    asked = [group.original for group in illustrated] * 4
    asked = [replace(question, id=number) for number, question in enumerate(asked)]
    Image.new("RGB", (64, 64)).save(tmp_path / "other.png")
    held = [replace(asked[0], image=ImageRef("other", path=str(tmp_path / "other.png")))]
    made = train(replace(NET, encoder="conv"), asked, held, output=tmp_path / "net", epochs=1, least_answers=1)
    write_explained(made, illustrated[:1], tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().count('class="region best"') == NET.steps * (
        1 + len(illustrated[0].variants)
    )
    steps = made.steps(asked[0])
    assert len(steps) == NET.steps
    assert all(len(step.regions) == len(made.net.grid) for step in steps)


def test_a_network_without_modules_has_nothing_to_show(tmp_path, illustrated):
    butd = trained(NetConfig("butd", hidden=16, embedding=8), tmp_path / "net")
    with pytest.raises(UsageError, match="butd has no modules to show"):
        write_explained(butd, illustrated, tmp_path / "page.html")
    assert butd.steps(illustrated[0].original) == ()
