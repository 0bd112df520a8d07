"""tf.contrib.specs: what the differential cases cannot see."""

from __future__ import annotations

import sys
from types import ModuleType

import headwater as tf
from headwater.contrib.specs.specs import LocalImport


def test_a_shared_network_has_one_set_of_variables() -> None:
    net = tf.contrib.specs.create_net_fun("net = Shared(Fs(3), name='twice')")
    first, second = net(tf.ones([2, 4])), net(tf.ones([5, 4]))
    assert (first.shape, second.shape) == ((2, 3), (5, 3))
    names = [variable.op.name for variable in tf.global_variables()]
    assert names == ["twice/fully_connected/weights", "twice/fully_connected/biases"]


def test_names_are_imported_for_a_block_only() -> None:
    names = ModuleType("names")
    names.seven = 7
    with LocalImport(names):
        assert seven == 7  # type: ignore[name-defined]  # noqa: F821
    assert "seven" not in vars(sys.modules[__name__])
