"""What h5py 2 had, on stand-ins for its modules: h5py itself is tried by tests/ecosystem."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from headwater.compat import h5py_names


class Attributes:
    values = {  # noqa: RUF012
        "text": "a",
        "texts": np.array(["a", "b"], object),
        "bytes": b"c",
        "numbers": np.arange(2),
    }

    def __getitem__(self, name):
        return self.values[name]


class File:
    def __init__(self, name, mode="r", driver=None):
        self.mode = mode


class Dataset:
    def __getitem__(self, key):
        return [1, 2] if key == () else None


STAND_INS = {
    "h5py._hl.attrs": SimpleNamespace(AttributeManager=Attributes),
    "h5py._hl.dataset": SimpleNamespace(Dataset=Dataset),
    "h5py._hl.files": SimpleNamespace(File=File),
}


@pytest.fixture(autouse=True)
def names(monkeypatch):
    for name, module in STAND_INS.items():
        monkeypatch.setitem(sys.modules, name, module)
        module.__name__ = name
    h5py_names.add()
    yield
    h5py_names.remove()
    assert File(os.devnull).mode == "r"
    assert not hasattr(Dataset, "value")
    assert type(Attributes()["text"]) is str


def test_attributes_are_strings_that_can_be_decoded():
    read = Attributes()
    assert read["text"] == "a" and isinstance(read["text"], str)
    assert read["text"].decode("utf8") == "a"
    assert [text.decode() for text in read["texts"]] == ["a", "b"]
    assert read["bytes"] == b"c" and read["numbers"] is Attributes.values["numbers"]


def test_files_are_made_or_changed_if_no_mode_is_given(tmp_path):
    present = tmp_path / "present"
    present.touch()
    assert File(str(tmp_path / "new")).mode == File(present).mode == "a"
    present.chmod(0o400)
    if not os.access(present, os.W_OK):
        assert File(present).mode == "r"
    assert File(present, "r").mode == File(present, mode="r").mode == "r"
    assert File(object()).mode == "r"


def test_datasets_have_their_value():
    assert Dataset().value == [1, 2]
