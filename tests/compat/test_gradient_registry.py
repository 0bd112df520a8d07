"""ops._gradient_registry: programs look gradients up in it and replace them for a while."""

from __future__ import annotations

import importlib

import pytest

import headwater as tf
from headwater.compat import install as hook


@pytest.fixture
def registry():
    hook.install()
    try:
        yield importlib.import_module("tensorflow.python.framework.ops")._gradient_registry
    finally:
        hook.uninstall()


def slope(function, at=3.0):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(at)
        return session.run(tf.gradients(function(x), x)[0])


def test_a_name_is_registered_once(registry):
    name = "GuidedOnce"
    if name not in registry._registry:
        tf.RegisterGradient(name)(lambda op, grad: grad * 5.0)
    assert name in registry._registry and name in registry.list()
    assert registry.lookup(name)(None, 2.0) == 10.0
    with pytest.raises(KeyError, match="Registering two gradient with name 'GuidedOnce'!"):
        registry.register(lambda op, grad: grad, name)
    del registry._registry[name]
    assert name not in registry._registry


def test_gradients_are_replaced_and_restored(registry):
    entries = registry._registry
    for op_type, function, wanted in (("Square", tf.square, 6.0), ("Neg", tf.negative, -1.0)):
        original = entries[op_type]["type"]
        entries[op_type]["type"] = lambda op, grad: grad * 100.0
        try:
            assert slope(function) == 100.0
        finally:
            entries[op_type]["type"] = original
        assert slope(function) == wanted


def test_a_gradient_may_be_taken_away(registry):
    entries = registry._registry
    original = entries["Exp"]["type"]
    entries["Exp"]["type"] = None
    try:
        with tf.Graph().as_default():
            x = tf.constant(1.0)
            assert tf.gradients(tf.exp(x), x) == [None]
    finally:
        entries["Exp"]["type"] = original
    assert slope(tf.exp, 0.0) == 1.0


def test_every_registered_gradient_goes_back_as_it_was(registry):
    from headwater.graph.registry import registered_gradients

    before = dict(registered_gradients())
    for name in list(registry._registry):
        entry = registry._registry[name]
        entry["type"] = entry["type"]
    assert dict(registered_gradients()) == before


def test_an_unknown_name(registry):
    with pytest.raises(LookupError, match="gradient registry has no entry for: Nothing"):
        registry.lookup("Nothing")
