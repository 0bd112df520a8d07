"""Functions of internal modules that tests and programs replace."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

import headwater as tf
from headwater.compat.modules import make_module
from headwater.contrib.learn.monitoring import stopping
from headwater.train.checkpoints import checkpoint_state


@pytest.fixture
def management() -> Iterator[Any]:
    yield make_module("tensorflow.python.training.checkpoint_management")


def test_a_replacement_is_what_the_package_calls(management: Any) -> None:
    original = checkpoint_state.latest_checkpoint
    monitor = tf.contrib.learn.monitors.ValidationMonitor(x=tf.constant(2.0), every_n_steps=1)
    monitor.set_estimator(mock.Mock(model_dir="folder"))
    with mock.patch.object(management, "latest_checkpoint", return_value=None) as replacement:
        assert management.latest_checkpoint is replacement
        monitor.every_n_step_end(1, {})
        replacement.assert_called_once_with("folder")
        # The public name is a module of its own in TensorFlow too.
        assert tf.train.latest_checkpoint is original
    assert stopping.latest_checkpoint is checkpoint_state.latest_checkpoint is original
    assert management.latest_checkpoint is original


def test_a_second_replacement_replaces_the_first(management: Any) -> None:
    original = checkpoint_state.latest_checkpoint

    def first() -> None:
        raise AssertionError

    management.latest_checkpoint = first
    management.latest_checkpoint = str
    assert stopping.latest_checkpoint is str
    management.latest_checkpoint = original
    assert stopping.latest_checkpoint is original


def test_modules_imported_meanwhile_get_the_original_back(
    management: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = ModuleType("headwater.late")
    with mock.patch.object(management, "latest_checkpoint") as replacement:
        late.latest_checkpoint = checkpoint_state.latest_checkpoint  # type: ignore[attr-defined]
        assert late.latest_checkpoint is replacement
        monkeypatch.setitem(sys.modules, "headwater.late", late)
    assert late.latest_checkpoint is checkpoint_state.latest_checkpoint


def test_packages_only_show_functions() -> None:
    package = make_module("tensorflow.contrib.learn.python.learn.estimators")
    assert package is not None
    with mock.patch.object(package, "Estimator") as replacement:
        assert package.Estimator is replacement
        assert tf.contrib.learn.Estimator is not replacement
        assert isinstance(tf.contrib.learn.Estimator, type)
