"""The processor of a model: images and texts to tensors."""

from __future__ import annotations

from typing import Any

from askew.errors import ModelError
from askew.models.huggingface.folder import Folder
from askew.models.huggingface.load_errors import LOCAL, needs_torchvision


def load_processor(transformers: Any, folder: Folder, config: Any) -> Any:
    """The processor of a folder, without its video part if that needs a package that is not installed.

    Images are prepared with Pillow even where torchvision is installed, so that answers do not depend on that; only
    families that transformers has no other code for use torchvision.
    """
    processor = _load(transformers, folder, config)
    image_processor = getattr(processor, "image_processor", None)
    if image_processor is None:
        if (folder.path / "preprocessor_config.json").is_file():
            transformers.AutoImageProcessor.from_pretrained(folder.path, backend="pil", **LOCAL)  # raises the reason
        raise ModelError(
            f"{folder.path}: {folder.architecture or folder.model_type} has no image processor: it is a model of text "
            "alone, or preprocessor_config.json is missing. Give a model that reads images, or copy that file."
        )
    if not type(image_processor).__name__.endswith("Pil"):
        processor.image_processor = transformers.AutoImageProcessor.from_pretrained(folder.path, backend="pil", **LOCAL)
    return processor


def _load(transformers: Any, folder: Folder, config: Any) -> Any:
    try:
        return transformers.AutoProcessor.from_pretrained(folder.path, **LOCAL)
    except (ImportError, ValueError, TypeError) as error:
        kind = transformers.models.auto.processing_auto.PROCESSOR_MAPPING.get(type(config), None)
        if getattr(kind, "is_dummy", False):
            raise needs_torchvision(folder) from error
        if kind is None or "video_processor" not in kind.get_attributes():
            raise
        return _images_only(kind).from_pretrained(folder.path, **LOCAL)


def _images_only(processor: Any) -> Any:
    """The same class of processor, with None as its video processor, which needs torchvision."""

    def get_attributes(cls: Any) -> list[str]:
        names: list[str] = super(images_only, cls).get_attributes()
        return names if cls.is_constructing else [name for name in names if name != "video_processor"]

    def from_args_and_dict(cls: Any, /, args: Any, processor_dict: Any, **options: Any) -> Any:
        parts = iter(args)
        names = super(images_only, cls).get_attributes()
        whole = [None if name == "video_processor" else next(parts) for name in names]
        cls.is_constructing = True
        try:
            return super(images_only, cls).from_args_and_dict(whole, processor_dict, **options)
        finally:
            cls.is_constructing = False

    def check_argument_for_proper_class(self: Any, name: str, argument: Any) -> Any:
        return None if argument is None else super(images_only, self).check_argument_for_proper_class(name, argument)

    members = {
        "is_constructing": False,
        "get_attributes": classmethod(get_attributes),
        "from_args_and_dict": classmethod(from_args_and_dict),
        "check_argument_for_proper_class": check_argument_for_proper_class,
    }
    images_only: Any = type(processor.__name__, (processor,), members)
    return images_only
