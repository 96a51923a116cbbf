"""The hash of the package's files, by which hosts of a cluster are compared."""

from __future__ import annotations

import pytest

from askew.files import read_write


def test_code_that_was_compiled_on_one_host_does_not_make_it_another_copy(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(read_write, "files", lambda package: tmp_path)
    digest = read_write.package_digest.__wrapped__
    source = tmp_path / "rank.py"
    source.write_text("k = 1\n")
    before = digest()

    compiled = tmp_path / "__pycache__" / "rank.top-1.py311.nbi"  # Numba's cache
    compiled.parent.mkdir()
    compiled.write_bytes(b"machine code")
    assert digest() == before

    source.write_text("k = 2\n")
    assert digest() != before
