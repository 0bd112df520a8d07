"""`tf.train.warm_start`; results and texts are those of 1.15.5."""

from pathlib import Path

import pytest

import headwater as tf
from headwater.train.checkpoints.warm_starting import warm_start_with_vocabulary


def _variable(name: str, value: float) -> tf.Variable:
    return tf.get_variable(name, [2], initializer=tf.constant_initializer(value))


@pytest.fixture
def objects(tmp_path: Path) -> str:
    """A checkpoint of objects with two variables of ones."""
    with tf.Graph().as_default(), tf.Session() as session:
        v, w = _variable("a/v", 1.0), _variable("w", 1.0)
        session.run(tf.global_variables_initializer())
        tf.train.Checkpoint(v=v, x=tf.train.Checkpoint(w=w)).save(str(tmp_path / "model"))
    return str(tmp_path)


def _started(folder: str, names: list[str], **options: object) -> list[float]:
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [_variable(name, 0.0) for name in names]
        tf.train.warm_start(folder, **options)
        session.run(tf.global_variables_initializer())
        return [float(value[0]) for value in session.run(variables)]


def test_variables_of_a_checkpoint_of_objects_are_found_by_their_names(objects: str) -> None:
    assert _started(objects, ["a/v", "w"]) == [1.0, 1.0]
    assert _started(objects, ["w", "z"], vars_to_warm_start="w") == [1.0, 0.0]
    assert _started(objects, ["w", "z"], vars_to_warm_start=["w"]) == [1.0, 0.0]
    keys = {"q": "v/.ATTRIBUTES/VARIABLE_VALUE"}
    assert _started(objects, ["q"], var_name_to_prev_var_name=keys) == [1.0]
    with pytest.raises(ValueError, match=r"object-based .* were missing: \{'z'\}"):
        _started(objects, ["w", "z"])
    with pytest.raises(ValueError, match="Tensor a/v is not found in"):
        _started(objects, ["q"], var_name_to_prev_var_name={"q": "a/v"})


def test_none_starts_only_variables_with_vocabularies(objects: str, tmp_path: Path) -> None:
    names = {"var_name_to_prev_var_name": {"q": "a/v"}}
    assert _started(objects, ["w", "q"], vars_to_warm_start=None, **names) == [0.0, 0.0]
    with pytest.raises(ValueError, match=r"not used: \{'n'\}.*dict_keys\(\['w', 'q'\]\)"):
        _started(objects, ["w", "q"], vars_to_warm_start=None, var_name_to_prev_var_name={"n": "w"})


def test_what_a_start_by_words_needs(tmp_path: Path) -> None:
    variable = _variable("v", 0.0)
    with pytest.raises(ValueError, match=r"Must provide all of .*, prev_vocab_path}\.$"):
        warm_start_with_vocabulary(variable, "new", 2, "checkpoint", "")
    with pytest.raises(ValueError, match="Provided axis: 2"):
        warm_start_with_vocabulary(variable, "new", 2, "checkpoint", "old", axis=2)
