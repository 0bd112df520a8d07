"""Names, modules and ways of calling that a package has dropped, on a package made for it."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

from headwater.compat import matplotlib_names, pandas_names, sklearn_names
from headwater.compat.missing_modules import copies_of_six, public_names
from headwater.compat.old_names import OldNames, constant, renamed, same, without

PACKAGE = """
options = {"new": True}
here = 1
class Base:
    def draw(self, width=1):
        return width
class Shape(Base):
    def paint(self, color="red"):
        return color
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "sketches"
    folder.mkdir()
    (folder / "__init__.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "sketches"
    for name in [name for name in sys.modules if name.partition(".")[0] == "sketches"]:
        del sys.modules[name]


def effect(module):
    module.options["new"] = False
    return lambda: module.options.update(new=True)


def old_names():
    return OldNames(
        {
            "sketches": {
                "gone": constant(3),
                "here": constant(4),
                "lost": same("nowhere"),
                "Shape.fill": same("Shape", "paint"),
            }
        },
        {"sketches.old": lambda: {"value": 5}, **copies_of_six("sketches.six")},
        changes={
            "sketches": {
                "Shape.paint": renamed(colour="color"),
                "Shape.draw": without("dashed"),
                "nowhere": without("x"),
            }
        },
        effects={"sketches": effect},
    )


@pytest.mark.parametrize("loaded", [False, True])
def test_old_names_are_there_until_they_are_removed(package, loaded):
    if loaded:
        importlib.import_module(package)
    names = old_names()
    names.add()
    try:
        module = importlib.import_module(package)
        assert (module.gone, module.here, hasattr(module, "lost")) == (3, 1, False)
        shape = module.Shape()
        assert (shape.fill("blue"), shape.paint(colour="blue"), shape.paint()) == (
            "blue",
            "blue",
            "red",
        )
        assert shape.draw(2, dashed=True) == 2
        assert module.options == {"new": False}
        assert importlib.import_module("sketches.old").value == 5
        assert importlib.import_module("sketches.six.moves").xrange is range
        assert importlib.import_module("sketches.six").__name__ == "sketches.six"
    finally:
        names.remove()
    assert not hasattr(module, "gone") and not hasattr(module.Shape, "fill")
    assert "draw" not in vars(module.Shape)
    assert module.options == {"new": True}
    with pytest.raises(TypeError):
        shape.paint(colour="blue")
    del sys.modules["sketches.old"]
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("sketches.old")


def test_public_names(package):
    found = public_names(package)()
    assert set(found) == {"options", "here", "Base", "Shape"}


class Index(list):
    """As much of an index of pandas as `ix` asks for."""

    def __init__(self, labels, kind):
        super().__init__(labels)
        self.dtype = type("", (), {"kind": kind})

    def get_loc(self, key):
        if key not in self:
            raise KeyError(key)
        return self.index(key)

    def slice_indexer(self, start, stop, step):
        return slice(self.get_loc(start), self.get_loc(stop) + 1, step)

    def get_indexer(self, keys):
        import numpy as np

        return np.array([self.index(key) if key in self else -1 for key in keys])


def test_ix_takes_labels_and_positions():
    words, numbers = Index("abc", "O"), Index([5, 6, 7], "i")
    assert pandas_names._position(words, "b") == 1
    assert pandas_names._position(words, 2) == 2
    assert pandas_names._position(words, slice("a", "b")) == slice(0, 2, None)
    assert pandas_names._position(words, slice(0, 2)) == slice(0, 2)
    assert pandas_names._position(numbers, 6) == 1
    assert pandas_names._position(numbers, slice(5, 6)) == slice(0, 2, None)
    assert pandas_names._position(numbers, [7, 5]).tolist() == [2, 0]
    assert pandas_names._position(words, [2, 0]).tolist() == [2, 0]
    assert pandas_names._position(words, [True, False, True]).tolist() == [True, False, True]
    with pytest.raises(KeyError):
        pandas_names._position(numbers, [5, 9])


def test_tables_are_read_with_old_arguments():
    seen = []
    read = pandas_names._reader(lambda path, **kwargs: seen.append((path, kwargs)))
    read("t.csv", ";", error_bad_lines=False, warn_bad_lines=True)
    read("t.csv", delim_whitespace=True)
    assert seen == [
        ("t.csv", {"sep": ";", "on_bad_lines": "skip"}),
        ("t.csv", {"sep": r"\s+"}),
    ]


def test_arguments_by_position():
    def drop(labels, *, axis=0):
        return labels, axis

    assert pandas_names._with_positions("axis")(drop)("a", 1) == ("a", 1)
    assert pandas_names._with_positions("axis")(drop)("a", axis=2) == ("a", 2)


def test_densities():
    assert matplotlib_names._normal_density(1.0, 1.0, 2.0) == pytest.approx(0.19947114)
    assert matplotlib_names._bivariate_density(0.0, 0.0, 1.0, 2.0) == pytest.approx(0.07957747)
    # From scipy.stats.multivariate_normal.
    found = matplotlib_names._bivariate_density(0.5, -1.0, 1.0, 2.0, 0.1, 0.2, 0.3)
    assert found == pytest.approx(0.05945955)


def test_splits_are_iterated_over():
    class Halves:
        def split(self, data):
            return iter([(data[:1], data[1:]), (data[1:], data[:1])])

        def get_n_splits(self, data):
            return 2

    splits = sklearn_names._Splits(Halves(), [1, 2])
    assert len(splits) == 2 and list(splits) == list(splits) == [([1], [2]), ([2], [1])]


def test_a_canvas_gives_its_colors_as_bytes():
    class Canvas:
        def buffer_rgba(self):
            return memoryview(np.arange(8, dtype=np.uint8).reshape(1, 2, 4))

    assert matplotlib_names._colors_of_canvas(Canvas()) == bytes([0, 1, 2, 4, 5, 6])
