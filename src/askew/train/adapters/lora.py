"""Which weights an adapter adds to a model: low-rank matrices beside its linear layers (LoRA)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from math import inf
from typing import Any, get_type_hints

from askew.errors import BadOption, did_you_mean, need
from askew.registry import convert


@dataclass(frozen=True)
class Lora:
    """A product of two thin matrices is added to each chosen linear layer, and only these are trained (Hu et al. 2022).

    >>> Lora.parse("r=8,target=q_proj+v_proj")
    Lora(r=8, alpha=16.0, dropout=0.0, target='q_proj+v_proj', vision=False)
    >>> Lora.parse("rank=8")
    Traceback (most recent call last):
    askew.errors.BadOption: lora: there is no option 'rank'. Options: r, alpha, dropout, target, vision.
    """

    r: int = 16
    """The rank of the product."""
    alpha: float = 0.0
    """The product is multiplied by alpha / r; 0 stands for twice r."""
    dropout: float = 0.0
    target: str = ""
    """Names of layers, joined with +; by default every linear layer outside the image encoder."""
    vision: bool = False
    """Also adapt the linear layers of the image encoder."""

    def __post_init__(self) -> None:
        if self.r < 1 or not 0 <= self.alpha < inf or not 0 <= self.dropout < 1:
            raise BadOption("lora: r must be at least 1, alpha 0 or more, and dropout from 0 to below 1.")
        if self.target and self.vision:
            raise BadOption("lora: target names the layers, so vision has no effect. Leave one of them out.")
        object.__setattr__(self, "alpha", self.alpha or 2.0 * self.r)

    @classmethod
    def parse(cls, text: str) -> Lora:
        """The settings in a text such as ``r=16,alpha=32``."""
        kinds = get_type_hints(cls)
        known = [part.name for part in fields(cls)]
        values: dict[str, Any] = {}
        for part in filter(None, text.split(",")):
            name, _, value = part.partition("=")
            if name.strip() not in known:
                raise BadOption(
                    f"lora: there is no option {name!r}.{did_you_mean(name, known)} Options: {', '.join(known)}."
                )
            if name.strip() in values:
                raise BadOption(f"lora: {name.strip()} is given twice; give it once.")
            values[name.strip()] = convert(f"lora: {name}", value, kinds[name.strip()])
        return cls(**values)


def add_lora(model: Any, lora: Lora, seed: int, name: str) -> Any:
    """The model with a fresh adapter, which changes nothing before it is trained. ``name`` is that of the base."""
    peft, torch = need("peft", "peft"), need("torch", "peft")
    layers = dict(_linear_layers(model))
    targets = lora.target.split("+") if lora.target else [path for path in layers if lora.vision or not layers[path]]
    unknown = [one for one in targets if not any(path == one or path.endswith(f".{one}") for path in layers)]
    if unknown or not targets:
        known = list(dict.fromkeys(path.rpartition(".")[2] for path in layers))
        raise BadOption(
            f"lora: {name} has no linear layer {', '.join(unknown) or 'outside its image encoder'}."
            f"{did_you_mean(unknown[0], known) if unknown else ''} Names of its linear layers: "
            f"{', '.join(known[:12]) or 'none'}. Give them as target=NAME+NAME."
        )
    config = peft.LoraConfig(r=lora.r, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=targets)
    torch.manual_seed(seed)
    return peft.get_peft_model(model, config)


def _linear_layers(model: Any) -> Iterator[tuple[str, bool]]:
    """The path of each linear layer that an adapter can change, and whether it is part of the image encoder.

    Not those whose weights are embeddings too, nor the one that gives each token its score.
    """
    nn = need("torch.nn", "peft")
    encoder = model.get_encoder(modality="image")
    seeing = set() if encoder is model else set(encoder.modules())
    shared = {id(module.weight) for module in model.modules() if isinstance(module, nn.Embedding)}
    last = model.get_output_embeddings()
    for path, module in model.named_modules():
        if isinstance(module, nn.Linear) and module is not last and id(module.weight) not in shared:
            yield path, module in seeing
