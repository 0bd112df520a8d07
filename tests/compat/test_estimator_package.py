"""`import tensorflow_estimator` under the import hook."""

import importlib

import pytest

import headwater as tf
from headwater.compat import install as hook
from headwater.compat.estimator_package import place_in_tensorflow


@pytest.fixture(autouse=True)
def installed():
    hook.install()
    yield
    hook.uninstall()


@pytest.mark.parametrize(
    ("path", "public"),
    [
        ("tensorflow_estimator.estimator.DNNClassifier", "DNNClassifier"),
        ("tensorflow_estimator._api.v1.estimator.RunConfig", "RunConfig"),
        ("tensorflow_estimator.python.estimator.estimator_lib.Estimator", "Estimator"),
        ("tensorflow_estimator.python.estimator.canned.dnn.DNNRegressor", "DNNRegressor"),
        ("tensorflow_estimator.python.estimator.model_fn.EstimatorSpec", "EstimatorSpec"),
        ("tensorflow.python.estimator.canned.linear.LinearEstimator", "LinearEstimator"),
        (
            "tensorflow_estimator.python.estimator.head.regression_head.RegressionHead",
            "RegressionHead",
        ),
        ("tensorflow_estimator.python.estimator.head.multi_head.MultiHead", "MultiHead"),
    ],
)
def test_modules_hold_public_objects(path, public):
    module, _, name = path.rpartition(".")
    assert getattr(importlib.import_module(module), name) is getattr(tf.estimator, public)


def test_contrib_heads_and_private_heads():
    contrib = importlib.import_module(
        "tensorflow_estimator.contrib.estimator.python.estimator.multi_head"
    )
    assert contrib.multi_head is tf.contrib.estimator.multi_head
    head_lib = importlib.import_module("tensorflow_estimator.python.estimator.canned.head")
    head = head_lib._regression_head(label_dimension=2)
    assert isinstance(head, head_lib._Head)
    assert head_lib is importlib.import_module("tensorflow.python.estimator.canned.head")


def test_places():
    place = place_in_tensorflow
    assert place("tensorflow_estimator.python.estimator.tpu.tpu_estimator") == (
        "tensorflow.python.tpu.tpu_estimator"
    )
    assert place("tensorflow_estimator._api.v2.estimator.experimental") == (
        "tensorflow.compat.v2.estimator.experimental"
    )
    assert place("tensorflow_estimator.pythons") is None


def test_missing_modules():
    with pytest.raises(ModuleNotFoundError, match=r"tensorflow\.python\.estimator\.nothing"):
        importlib.import_module("tensorflow_estimator.python.estimator.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"tensorflow_estimator\.nothing"):
        importlib.import_module("tensorflow_estimator.nothing")


def test_garbage_collection_of_exports():
    from tensorflow.python.estimator import gc
    from tensorflow_estimator.python.estimator import gc as same

    paths = [gc.Path("/foo", version) for version in (8, 9, 10)]
    assert same._largest_export_versions(2)(paths) == paths[1:]
    assert gc._negation(gc._mod_export_version(2))(paths) == [paths[1]]
    assert gc._union(gc._one_of_every_n_export_versions(3), gc._mod_export_version(4))(paths) == (
        paths
    )
