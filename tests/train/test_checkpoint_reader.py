from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import headwater as tf

FOLDER = Path(__file__).parent.parent / "golden" / "checkpoint"
PATH = str(FOLDER / "v2")


def test_reader():
    reader = tf.train.NewCheckpointReader(PATH)
    assert reader.has_tensor("scalar")
    assert not reader.has_tensor("nothing")
    assert reader.get_tensor("scalar") == 7
    assert reader.get_tensor("string").tolist() == [b"", b"one", b"x" * 200]
    shapes = reader.get_variable_to_shape_map()
    assert (shapes["scalar"], shapes["empty"], shapes["slices_1"]) == ([], [0, 3], [200, 4])
    assert reader.get_variable_to_dtype_map()["bfloat16"] is tf.bfloat16
    with pytest.raises(tf.errors.NotFoundError, match="Key nothing not found in checkpoint"):
        reader.get_tensor("nothing")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for /no"):
        tf.train.NewCheckpointReader("/no_such")


def test_folder(tmp_path):
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(str(tmp_path))
    tf.train.update_checkpoint_state(str(tmp_path), PATH)
    value = tf.train.load_variable(str(tmp_path), "scope/resource:0")
    np.testing.assert_array_equal(value, np.float32([1.5, -2.5]))
    variables = tf.train.list_variables(str(tmp_path))
    assert variables == sorted(variables)
    assert ("slices_0", [3, 4]) in variables


def test_a_reader_describes_its_tensors(session, tmp_path):
    v = tf.Variable([[1.0, 2.0, 3.0]], name="v0")
    session.run(v.initializer)
    for version in (1, 2):
        saver = tf.train.Saver([v], write_version=version)
        path = saver.save(session, str(tmp_path / f"m{version}"))
        assert tf.train.NewCheckpointReader(path).debug_string() == b"v0 (DT_FLOAT) [1,3]\n"
