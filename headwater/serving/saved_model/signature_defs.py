"""SignatureDefs: the inputs and outputs with which a model is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, errors
from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Operation
from headwater.protos.lazy import meta_graph_pb2
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.tensor_infos import (
    build_tensor_info,
    build_tensor_info_from_op,
    get_element_from_tensor_info,
)

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import SignatureDef, TensorInfo


@export("saved_model.build_signature_def", "saved_model.signature_def_utils.build_signature_def")
def build_signature_def(
    inputs: Mapping[str, TensorInfo] | None = None,
    outputs: Mapping[str, TensorInfo] | None = None,
    method_name: str | None = None,
) -> SignatureDef:
    """Makes a signature.

    Args:
        inputs: the TensorInfos of the inputs by their keys.
        outputs: the TensorInfos of the outputs by their keys.
        method_name: the method of serving, one of `tf.saved_model.signature_constants`.

    Returns:
        A SignatureDef.

    Raises:
        TypeError: if an input or output is not a TensorInfo.
    """
    signature: SignatureDef = meta_graph_pb2.SignatureDef()
    for key, info in (inputs or {}).items():
        signature.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        signature.outputs[key].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    return signature


@export(
    "saved_model.regression_signature_def",
    "saved_model.signature_def_utils.regression_signature_def",
)
def regression_signature_def(examples: TensorLike, predictions: TensorLike) -> SignatureDef:
    """Makes the signature of a regression.

    Args:
        examples: a string Tensor of serialized tf.Examples.
        predictions: a float32 Tensor.

    Returns:
        A SignatureDef.

    Raises:
        ValueError: if a tensor is None or of another type.
    """
    if examples is None:
        raise ValueError("Regression examples cannot be None.")
    if predictions is None:
        raise ValueError("Regression predictions cannot be None.")
    example_info = _info_of_type(
        examples, dtypes.string, "Regression examples must be a string Tensor."
    )
    output_info = _info_of_type(
        predictions, dtypes.float32, "Regression output must be a float Tensor."
    )
    return build_signature_def(
        {constants.REGRESS_INPUTS: example_info},
        {constants.REGRESS_OUTPUTS: output_info},
        constants.REGRESS_METHOD_NAME,
    )


def _info_of_type(tensor: TensorLike, dtype: dtypes.DType, message: str) -> TensorInfo:
    info = build_tensor_info(tensor)
    if info.dtype != dtype.as_datatype_enum:
        raise ValueError(message)
    return info


@export(
    "saved_model.classification_signature_def",
    "saved_model.signature_def_utils.classification_signature_def",
)
def classification_signature_def(
    examples: TensorLike, classes: TensorLike | None, scores: TensorLike | None
) -> SignatureDef:
    """Makes the signature of a classification.

    Args:
        examples: a string Tensor of serialized tf.Examples.
        classes: a string Tensor, or None.
        scores: a float32 Tensor, or None.

    Returns:
        A SignatureDef.

    Raises:
        ValueError: if `examples`, or both others, are None, or a tensor is of another type.
    """
    if examples is None:
        raise ValueError("Classification examples cannot be None.")
    if classes is None and scores is None:
        raise ValueError("Classification classes and scores cannot both be None.")
    example_info = _info_of_type(
        examples, dtypes.string, "Classification examples must be a string Tensor."
    )
    outputs = {}
    if classes is not None:
        outputs[constants.CLASSIFY_OUTPUT_CLASSES] = _info_of_type(
            classes, dtypes.string, "Classification classes must be a string Tensor."
        )
    if scores is not None:
        outputs[constants.CLASSIFY_OUTPUT_SCORES] = _info_of_type(
            scores, dtypes.float32, "Classification scores must be a float Tensor."
        )
    return build_signature_def(
        {constants.CLASSIFY_INPUTS: example_info}, outputs, constants.CLASSIFY_METHOD_NAME
    )


@export(
    "saved_model.predict_signature_def", "saved_model.signature_def_utils.predict_signature_def"
)
def predict_signature_def(
    inputs: Mapping[str, TensorLike], outputs: Mapping[str, TensorLike]
) -> SignatureDef:
    """Makes the signature of a prediction.

    Args:
        inputs: Tensors by their keys.
        outputs: Tensors by their keys.

    Returns:
        A SignatureDef.

    Raises:
        ValueError: if `inputs` or `outputs` are None or empty.
    """
    if not inputs:
        raise ValueError("Prediction inputs cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction outputs cannot be None or empty.")
    return build_signature_def(
        tensor_infos(inputs), tensor_infos(outputs), constants.PREDICT_METHOD_NAME
    )


def tensor_infos(tensors: Mapping[str, TensorLike]) -> dict[str, TensorInfo]:
    """The infos of tensors by their keys."""
    return {key: build_tensor_info(tensor) for key, tensor in tensors.items()}


def supervised_train_signature_def(
    inputs: Mapping[str, TensorLike],
    loss: Mapping[str, TensorLike] | None,
    predictions: Mapping[str, TensorLike] | None = None,
    metrics: Mapping[str, TensorLike] | None = None,
) -> SignatureDef:
    """Makes the signature of training: `inputs`, and the outputs of the three other arguments."""
    method = constants.SUPERVISED_TRAIN_METHOD_NAME
    return _supervised_signature_def(method, inputs, loss, predictions, metrics)


def supervised_eval_signature_def(
    inputs: Mapping[str, TensorLike],
    loss: Mapping[str, TensorLike] | None,
    predictions: Mapping[str, TensorLike] | None = None,
    metrics: Mapping[str, TensorLike] | None = None,
) -> SignatureDef:
    """Makes the signature of evaluation: `inputs`, and the outputs of the three other arguments."""
    method = constants.SUPERVISED_EVAL_METHOD_NAME
    return _supervised_signature_def(method, inputs, loss, predictions, metrics)


def _supervised_signature_def(
    method_name: str,
    inputs: Mapping[str, TensorLike],
    loss: Mapping[str, TensorLike] | None = None,
    predictions: Mapping[str, TensorLike] | None = None,
    metrics: Mapping[str, TensorLike] | None = None,
) -> SignatureDef:
    if not inputs:
        raise ValueError(f"{method_name} inputs cannot be None or empty.")
    outputs = {
        key: info
        for group in (loss, predictions, metrics)
        for key, info in tensor_infos(group or {}).items()
    }
    return build_signature_def(tensor_infos(inputs), outputs, method_name)


@export("saved_model.is_valid_signature", "saved_model.signature_def_utils.is_valid_signature")
def is_valid_signature(signature_def: SignatureDef | None) -> bool:
    """Whether a model can be served with a signature.

    Args:
        signature_def: a SignatureDef, or None.

    Returns:
        A bool: whether it has the keys and types of its method.
    """
    if signature_def is None:
        return False
    if signature_def.method_name == constants.PREDICT_METHOD_NAME:
        return bool(signature_def.inputs) and bool(signature_def.outputs)
    if signature_def.method_name == constants.REGRESS_METHOD_NAME:
        outputs = {constants.REGRESS_OUTPUTS: dtypes.float32}
        return _has_examples(signature_def, constants.REGRESS_INPUTS) and (
            set(signature_def.outputs) == set(outputs)
            and _has_types(signature_def.outputs, outputs)
        )
    if signature_def.method_name == constants.CLASSIFY_METHOD_NAME:
        outputs = {
            constants.CLASSIFY_OUTPUT_CLASSES: dtypes.string,
            constants.CLASSIFY_OUTPUT_SCORES: dtypes.float32,
        }
        return _has_examples(signature_def, constants.CLASSIFY_INPUTS) and (
            bool(signature_def.outputs) and _has_types(signature_def.outputs, outputs)
        )
    return False


def _has_examples(signature_def: SignatureDef, key: str) -> bool:
    inputs = signature_def.inputs
    return set(inputs) == {key} and _has_types(inputs, {key: dtypes.string})


def _has_types(infos: Mapping[str, TensorInfo], types: Mapping[str, dtypes.DType]) -> bool:
    return all(key in types and as_dtype(info.dtype) == types[key] for key, info in infos.items())


def op_signature_def(op: Operation, key: str) -> SignatureDef:
    """Makes a signature that names an operation as its output `key`."""
    return build_signature_def(outputs={key: build_tensor_info_from_op(op)})


def load_op_from_signature_def(
    signature_def: SignatureDef, key: str, import_scope: str | None = None
) -> Any:
    """Finds the operation or tensor that a signature names as its output.

    Args:
        signature_def: a SignatureDef that `op_signature_def` has made.
        key: the key of the output.
        import_scope: the name scope into which the graph was imported.

    Returns:
        An Operation or Tensor of the default graph.

    Raises:
        NotFoundError: if there is none.
    """
    try:
        return get_element_from_tensor_info(signature_def.outputs[key], import_scope=import_scope)
    except KeyError:
        raise errors.NotFoundError(
            None,
            None,
            f"The {key} could not be found in the graph. Please make sure the SavedModel was "
            "created by the internal _SavedModelBuilder. If you are using the public API, please "
            "make sure the SignatureDef in the SavedModel does not contain the key "
            f'"{key}".',
        ) from None
