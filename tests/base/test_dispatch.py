"""Tests of functions that know further kinds of arguments."""

from __future__ import annotations

import inspect

import pytest

import headwater as tf
from headwater.base.dispatch import add_handler, make_dispatching
from headwater.base.export import EXPORTS, find_export


class Doubled:
    """An argument that no function of tensors accepts."""


def test_handlers_are_asked_in_turn_when_a_function_fails():
    before = find_export("sin")
    make_dispatching(["sin"])
    assert EXPORTS["sin"] is before, "sin takes ragged tensors, so it is prepared already"
    asked = []

    def declines(function, args, kwargs):
        asked.append(args)
        return NotImplemented

    def answers(function, args, kwargs):
        return "seen" if args and isinstance(args[0], Doubled) else NotImplemented

    add_handler("sin", declines)
    add_handler("sin", answers)
    assert tf.sin(Doubled()) == "seen"
    assert len(asked) == 1
    assert tf.sin(1.0).op.type == "Sin"
    assert len(asked) == 1, "a call with a number asks nobody"
    with pytest.raises(
        TypeError, match=r"Failed to convert object of type <class 'object'> to Tensor\."
    ):
        tf.sin(object())


def test_all_names_of_a_function_are_the_same_and_keep_the_signature():
    assert tf.negative is tf.math.negative is find_export("neg")
    assert list(inspect.signature(tf.reduce_sum).parameters)[:2] == ["input_tensor", "axis"]
    assert tf.concat.__name__ == "concat"
