"""`tf.contrib.predictor.from_saved_model`."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater as tf

FOLDER = str(Path(__file__).parent.parent / "golden" / "saved_models" / "1.15.5" / "model")
from_saved_model = tf.contrib.predictor.from_saved_model


def test_predictions():
    predict = from_saved_model(FOLDER)
    assert predict({"x": [[1, 2]]})["y"].tolist() == [[5.5]]
    assert set(predict.feed_tensors) == {"x"}
    assert set(predict.fetch_tensors) == {"y"}
    assert predict.session.graph is predict.graph
    assert repr(predict).startswith("SavedModelPredictor with feed tensors {'x': <tf.Tensor 'x:0'")
    with pytest.raises(ValueError, match=r"unexpected keys in input_dict: {'q'}\nexpected: {'x'}"):
        predict({"q": 1})
    predict.session.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        predict({"x": [[1, 2]]})


def test_ways_to_name_the_tensors():
    plain = from_saved_model(FOLDER, signature_def_key="plain", tags="serve,plain")
    assert plain({"x": [[1, 2]]})["y"].tolist() == [[5.0]]
    names = from_saved_model(FOLDER, input_names={"in": "x:0"}, output_names={"out": "y:0"})
    assert names({"in": [[1, 2]]})["out"].tolist() == [[5.5]]
    graph = tf.Graph()
    info = tf.TensorInfo(name="y:0")
    signature = tf.saved_model.build_signature_def({"a": tf.TensorInfo(name="x:0")}, {"b": info})
    given = from_saved_model(FOLDER, signature_def=signature, graph=graph)
    assert given({"a": [[1, 2]]})["b"].tolist() == [[5.5]]
    assert given.graph is graph
    with pytest.raises(ValueError, match="must both be specified or both be unspecified"):
        from_saved_model(FOLDER, input_names={"in": "x:0"})
    with pytest.raises(ValueError, match="You must specify at most one of signature_def_key OR"):
        from_saved_model(FOLDER, signature_def=signature, signature_def_key="plain")
