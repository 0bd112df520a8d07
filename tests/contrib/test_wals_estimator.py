"""WALSMatrixFactorization; the numbers are those of TensorFlow 1.15.5."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headwater as tf

_WALS = tf.contrib.factorization.WALSMatrixFactorization
_PLACES = [[0, 0], [0, 2], [1, 1], [1, 3], [2, 0], [2, 1]]
_VALUES = [1.0, 2.0, 3.0, 1.0, 2.0, 1.0]


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps are not worth a compilation."""
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


@pytest.fixture
def first_factors() -> dict[str, Any]:
    source = np.random.RandomState(0)
    row_init = [source.rand(3, 2).astype(np.float32)]
    return {"row_init": row_init, "col_init": [source.rand(4, 2).astype(np.float32)]}


def _data(project_row: bool | None = None, **features: Any) -> Callable[[], tuple[Any, None]]:
    def input_fn() -> tuple[dict[str, Any], None]:
        rows = tf.SparseTensor(_PLACES, _VALUES, [3, 4])
        found = {_WALS.INPUT_ROWS: rows, _WALS.INPUT_COLS: tf.sparse_transpose(rows)}
        if project_row is not None:
            found[_WALS.PROJECT_ROW] = tf.constant(project_row)
        found.update({name: tf.constant(value) for name, value in features.items()})
        return found, None

    return input_fn


def _value(estimator: Any, name: str) -> Any:
    return estimator.get_variable_value(name).tolist()


def test_sweeps_in_turn(first_factors: dict[str, Any]) -> None:
    wals = _WALS(3, 4, 2, **first_factors)
    wals.fit(input_fn=_data(), steps=1)
    assert _value(wals, "WALS_loss") == pytest.approx(1.7236, abs=1e-4)
    assert _value(wals, "WALS_RWSE") == pytest.approx(0.4893, abs=1e-4)
    assert (_value(wals, "is_row_sweep"), _value(wals, "is_sweep_done")) == (True, True)
    assert _value(wals, "processed_rows") == [True] * 3
    # Training goes on with the columns.
    wals.fit(input_fn=_data(), steps=1)
    assert _value(wals, "WALS_loss") == pytest.approx(1.1679, abs=1e-4)
    assert (_value(wals, "is_row_sweep"), _value(wals, "completed_sweeps")) == (False, 2)
    assert (_value(wals, "processed_rows"), _value(wals, "processed_cols")) == (
        [False] * 3,
        [True] * 4,
    )
    wals.fit(input_fn=_data(), steps=3)
    expected = [[1.5677, 0.5676], [3.8183, -2.1245], [0.2702, 1.7763]]
    np.testing.assert_allclose(wals.get_row_factors(), [expected], atol=1e-4)
    assert [factors.shape for factors in wals.get_col_factors()] == [(4, 2)]
    for by_row, loss in ((True, 0.9507089), (False, 1.0125859)):
        result = wals.evaluate(input_fn=_data(by_row), steps=1)
        assert result["loss"] == pytest.approx(loss, rel=1e-4)
    projections = wals.get_projections(_data(True))
    np.testing.assert_allclose(list(itertools.islice(projections, 3)), expected, atol=1e-4)
    projections = wals.get_projections(_data(True, projection_weights=[0.1, 0.2, 0.5]))
    np.testing.assert_allclose(next(projections), [0.3021, 1.2887], atol=1e-4)


def test_shards_without_caches(first_factors: dict[str, Any]) -> None:
    wals = _WALS(
        *(3, 4, 2),
        col_init=first_factors["col_init"],
        num_row_shards=2,
        use_factors_weights_cache_for_training=False,
        use_gramian_cache_for_training=False,
        max_sweeps=1,
    )
    wals.fit(input_fn=_data(), steps=100)
    assert _value(wals, "global_step") == 1
    factors = wals.get_row_factors()
    np.testing.assert_allclose(factors[0], [[2.111, 0.0601], [3.4486, -1.1486]], atol=1e-4)
    np.testing.assert_allclose(factors[1], [[0.1652, 1.9389]], atol=1e-4)


def test_a_sweep_in_batches(first_factors: dict[str, Any]) -> None:
    def one_row_and_column() -> tuple[dict[str, Any], None]:
        step = tf.cast(tf.train.get_global_step(), tf.int64)
        rows = tf.SparseTensor([[step % 3, 0]], [1.0], [3, 4])
        columns = tf.SparseTensor([[step % 4, 1]], [1.0], [4, 3])
        return {_WALS.INPUT_ROWS: rows, _WALS.INPUT_COLS: columns}, None

    wals = _WALS(3, 4, 2, **first_factors)
    wals.fit(input_fn=one_row_and_column, steps=2)
    assert (_value(wals, "completed_sweeps"), _value(wals, "is_sweep_done")) == (0, False)
    assert sum(_value(wals, "processed_rows")) == 2
    wals.fit(input_fn=one_row_and_column, steps=1)
    assert (_value(wals, "completed_sweeps"), _value(wals, "is_sweep_done")) == (1, True)
