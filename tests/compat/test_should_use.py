"""Results that have to be used; what is reported is as in TensorFlow 1.15.5."""

from __future__ import annotations

import gc
from typing import Any
from unittest import mock

import pytest

import headwater as tf
from headwater.base import logging
from headwater.compat.mirrors.util import tf_should_use
from headwater.compat.mirrors.util.protobuf import compare


@pytest.fixture
def errors() -> Any:
    with mock.patch.object(logging, "error") as error:
        yield error


@tf_should_use.should_use_result
def made(value: float) -> tf.Tensor:
    """Makes a constant."""
    return tf.constant(value, name="made")


def test_unused_results_are_reported(errors: Any) -> None:
    made(1.0)
    gc.collect()
    (text,) = errors.call_args.args
    assert text.startswith("==================================\nObject was never used (type <class")
    assert "<tf.Tensor 'made:0' shape=() dtype=float32>" in text
    assert 'call its "mark_used()" method.\nIt was originally created here:\n' in text
    assert text.count("test_unused_results_are_reported") == 1


def test_what_counts_as_use(errors: Any) -> None:
    assert made(1.0).op.type == "Const"
    assert (made(1.0) + 1.0).op.type == "AddV2"
    made(2.0).mark_used()
    with tf.control_dependencies([made(3.0)]):
        tf.no_op()
    gc.collect()
    errors.assert_not_called()


def test_wrapped_elements_stand_for_their_originals(errors: Any, session: Any) -> None:
    result = made(5.0)
    assert isinstance(result, tf.Tensor)
    doubled = 2.0 * result
    assert session.run([result, doubled, {"a": result}]) == [5.0, 10.0, {"a": 5.0}]
    assert session.run(doubled, {result: 7.0}) == 14.0
    again = tf_should_use._add_should_use_warning(result)
    assert session.run(again) == 5.0
    assert tf_should_use._add_should_use_warning(None) is None


def test_numbers_of_messages_are_rounded() -> None:
    message = tf.HistogramProto(min=2.1234567890123, max=1e-9, bucket=[1.00000000000001])
    assert compare.NormalizeNumberFields(message) is message
    assert (message.min, message.max, list(message.bucket)) == (2.1234568, 0.0, [1.0])
    example = tf.train.Example()
    example.features.feature["a"].float_list.value.append(1.123456789)
    compare.NormalizeNumberFields(example)
    assert example.features.feature["a"].float_list.value[0] == pytest.approx(1.1234568)
