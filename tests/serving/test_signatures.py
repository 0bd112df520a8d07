"""TensorInfos and SignatureDefs."""

from __future__ import annotations

import pytest

import headwater as tf

utils = tf.saved_model.signature_def_utils


def test_infos_of_tensors():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    info = tf.saved_model.utils.build_tensor_info(x)
    assert (info.name, info.dtype) == ("x:0", 1)
    assert [d.size for d in info.tensor_shape.dim] == [-1, 3]
    assert tf.saved_model.utils.get_tensor_from_tensor_info(info) is x
    with pytest.raises(KeyError, match="'foo/x:0' refers to a Tensor which does not exist"):
        tf.saved_model.get_tensor_from_tensor_info(info, import_scope="foo")
    with pytest.raises(ValueError, match=r"Invalid TensorInfo.encoding: None"):
        tf.saved_model.get_tensor_from_tensor_info(tf.TensorInfo())
    with pytest.raises(AttributeError, match="'int' object has no attribute 'dtype'"):
        tf.saved_model.build_tensor_info(3)
    unknown = tf.saved_model.build_tensor_info(tf.placeholder(tf.float32))
    assert unknown.tensor_shape.unknown_rank
    assert tf.saved_model.build_tensor_info(tf.Variable(1.0, name="v")).dtype == 101  # float_ref


def test_infos_of_sparse_tensors(session):
    sparse = tf.sparse_placeholder(tf.float32, [None, 3], name="s")
    info = tf.saved_model.build_tensor_info(sparse)
    assert info.coo_sparse.values_tensor_name == "s/values:0"
    assert info.coo_sparse.indices_tensor_name == "s/indices:0"
    assert info.coo_sparse.dense_shape_tensor_name == "s/shape:0"
    again = tf.saved_model.get_tensor_from_tensor_info(info)
    assert isinstance(again, tf.SparseTensor)
    assert again.values is sparse.values


def test_infos_of_other_values_of_several_tensors(session):
    ragged = tf.RaggedTensor.from_row_splits(tf.constant([1, 2, 3]), [0, 1, 3])
    info = tf.saved_model.build_tensor_info(ragged)
    spec = info.composite_tensor.type_spec
    assert (spec.type_spec_class, spec.type_spec_class_name) == (3, "RaggedTensorSpec")
    again = tf.saved_model.get_tensor_from_tensor_info(info)
    assert session.run(again).to_list() == [[1], [2, 3]]
    slices = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 1]))
    again = tf.saved_model.get_tensor_from_tensor_info(tf.saved_model.build_tensor_info(slices))
    assert isinstance(again, tf.IndexedSlices)
    assert again.indices is slices.indices


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x, s: utils.regression_signature_def(None, x), "examples cannot be None."),
        (lambda x, s: utils.regression_signature_def(s, None), "predictions cannot be None."),
        (lambda x, s: utils.regression_signature_def(x, x), "examples must be a string Tensor."),
        (lambda x, s: utils.regression_signature_def(s, s), "output must be a float Tensor."),
        (lambda x, s: utils.classification_signature_def(None, s, x), "examples cannot be None."),
        (lambda x, s: utils.classification_signature_def(s, None, None), "cannot both be None."),
        (lambda x, s: utils.classification_signature_def(x, s, x), "examples must be a string"),
        (lambda x, s: utils.classification_signature_def(s, x, None), "classes must be a string"),
        (lambda x, s: utils.classification_signature_def(s, None, s), "scores must be a float"),
        (lambda x, s: utils.predict_signature_def({}, {"a": x}), "inputs cannot be None or empty"),
        (lambda x, s: utils.predict_signature_def({"a": x}, {}), "outputs cannot be None or empty"),
    ],
)
def test_signatures_of_wrong_tensors(call, text):
    with pytest.raises(ValueError, match=text):
        call(tf.placeholder(tf.float32), tf.placeholder(tf.string))


def test_valid_signatures():
    x, s = tf.placeholder(tf.float32), tf.placeholder(tf.string)
    of = tf.saved_model.build_tensor_info
    valid = [
        utils.predict_signature_def({"a": x}, {"b": s}),
        utils.regression_signature_def(s, x),
        utils.classification_signature_def(s, s, x),
        utils.classification_signature_def(s, None, x),
    ]
    regress = tf.saved_model.signature_constants.REGRESS_METHOD_NAME
    classify = tf.saved_model.CLASSIFY_METHOD_NAME
    wrong = [
        None,
        utils.build_signature_def(),
        utils.build_signature_def({"inputs": of(x)}, {"outputs": of(x)}, regress),
        utils.build_signature_def({"foo": of(s)}, {"outputs": of(x)}, regress),
        utils.build_signature_def({"inputs": of(s)}, {"classes": of(s), "z": of(s)}, classify),
        utils.build_signature_def({"a": of(s)}, {"b": of(s)}, "method"),
    ]
    assert [utils.is_valid_signature(signature) for signature in valid] == [True] * 4
    assert [utils.is_valid_signature(signature) for signature in wrong] == [False] * 6
