"""The table of public names, and modules that are imported late."""

from __future__ import annotations

import subprocess
import sys

import pytest

from headwater.base import export as export_module_under_test
from headwater.base.export import (
    EXPORTS,
    LazyExport,
    export,
    export_lazy,
    export_module,
    export_value,
)
from headwater.base.lazy import LazyModule, jax, jnp, lax, load_jax


@pytest.fixture(autouse=True)
def _own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_module_under_test, "EXPORTS", {})


def table() -> dict[str, object]:
    return export_module_under_test.EXPORTS


def test_a_function_is_recorded_under_all_its_names() -> None:
    @export("cumsum", "math.cumsum")
    def cumsum() -> int:
        return 3

    assert table() == {"cumsum": cumsum, "math.cumsum": cumsum}
    assert cumsum() == 3
    assert "cumsum" not in EXPORTS or EXPORTS["cumsum"] is not cumsum


def test_the_same_object_may_be_exported_twice() -> None:
    export_value("pi", math_pi := 3.14)
    export_value("pi", math_pi)
    export_module("here", sys)
    assert table() == {"pi": math_pi, "here": sys}


def test_a_name_belongs_to_one_object() -> None:
    export_value("name", "first")
    with pytest.raises(ValueError, match="The public name 'name' is taken by 'first'"):
        export_value("name", "second")


def test_a_lazy_export_is_resolved_on_demand() -> None:
    export_lazy("level", "colorsys", "ONE_THIRD")
    export_lazy("level", "colorsys", "ONE_THIRD")
    level = table()["level"]
    assert level == LazyExport("colorsys", "ONE_THIRD")
    assert isinstance(level, LazyExport)
    assert level.resolve() == 1 / 3
    with pytest.raises(ValueError, match="The public name 'level' is taken by LazyExport"):
        export_lazy("level", "colorsys", "TWO_THIRD")


@pytest.mark.parametrize("name", ["", "a..b", "tf name", "1x"])
def test_a_name_must_be_a_dotted_identifier(name: str) -> None:
    with pytest.raises(ValueError, match="not a dotted public name"):
        export_value(name, 1)


def test_export_needs_a_name() -> None:
    with pytest.raises(ValueError, match="at least one"):
        export()


def test_a_lazy_module_is_imported_at_first_use() -> None:
    code = (
        "import sys\n"
        "from headwater.base.lazy import LazyModule\n"
        "colorsys = LazyModule('colorsys')\n"
        "assert 'colorsys' not in sys.modules\n"
        "assert repr(colorsys) == \"<lazy module 'colorsys'>\"\n"
        "assert 'colorsys' not in sys.modules\n"
        "assert colorsys.rgb_to_hls(0, 0, 0) == (0, 0, 0)\n"
        "assert colorsys.rgb_to_hls is vars(colorsys)['rgb_to_hls']\n"
        "assert 'hls_to_rgb' in dir(colorsys)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_lazy_module_lacks_what_its_module_lacks() -> None:
    with pytest.raises(AttributeError):
        _ = LazyModule("colorsys").nothing


def test_the_base_layer_loads_nothing_heavy() -> None:
    code = (
        "import pkgutil, sys, importlib\n"
        "import headwater.base\n"
        "for module in pkgutil.iter_modules(headwater.base.__path__):\n"
        "    importlib.import_module('headwater.base.' + module.name)\n"
        "heavy = {'jax', 'absl', 'PIL', 'google', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_jax_comes_in_64_bit_mode() -> None:
    assert jnp.asarray(1.5).dtype == "float64"
    assert lax.add(jnp.float64(1), jnp.float64(2)).dtype == "float64"
    assert jax.config.jax_enable_x64


def test_a_later_choice_of_the_mode_stands() -> None:
    load_jax()
    jax.config.update("jax_enable_x64", False)
    try:
        assert not load_jax().config.jax_enable_x64
    finally:
        jax.config.update("jax_enable_x64", True)
