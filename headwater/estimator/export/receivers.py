"""What an exported model takes: its input tensors, and the features made of them."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.estimator.input_results import parse_input_fn_result
from headwater.graph import Graph, SparseTensor, Tensor
from headwater.model.variables.variable import Variable
from headwater.ops.array.constant import placeholder
from headwater.ops.parsing.example_functions import parse_example

SINGLE_FEATURE_NAME = "feature"
SINGLE_RECEIVER_NAME = "input"
SINGLE_LABEL_NAME = "label"


def _check_tensor(tensor: Any, name: Any, error_label: str = "feature") -> None:
    if not isinstance(tensor, (Tensor, Variable, SparseTensor)):
        place = f" {name}" if name else ""
        if name is not None and not isinstance(name, str):
            place = f" {name}"
        raise ValueError(f"{error_label}{place} must be a Tensor or SparseTensor.")


def _check_key(key: Any, error_label: str, allow_ints: bool) -> None:
    if isinstance(key, str) or (allow_ints and isinstance(key, int)):
        return
    kinds = "strings or ints" if allow_ints else "strings"
    raise ValueError(f"{error_label} keys must be {kinds}: {key}.")


def checked_tensors(
    tensors: Any, error_label: str, default_name: str, allow_int_keys: bool = False
) -> dict[Any, Any]:
    """Tensors by name; a single one gets a default name.

    Args:
        tensors: a tensor or tensors by name.
        error_label: what they are, for the text of errors.
        default_name: the name of a single tensor.
        allow_int_keys: whether names may be integers.

    Returns:
        Tensors by name.

    Raises:
        ValueError: if there are none, or a name or value has a wrong type.
    """
    if tensors is None:
        raise ValueError(f"{error_label}s must be defined.")
    if not isinstance(tensors, dict):
        tensors = {default_name: tensors}
    for name, tensor in tensors.items():
        _check_key(name, error_label, allow_int_keys)
        _check_tensor(tensor, name, error_label)
    return tensors


def _checked_alternatives(alternatives: Any) -> Any:
    if alternatives is None:
        return None
    if not isinstance(alternatives, dict):
        raise ValueError(f"receiver_tensors_alternatives must be a dict: {alternatives}.")
    return {
        name: checked_tensors(tensors, "receiver_tensors_alternative", SINGLE_RECEIVER_NAME)
        for name, tensors in alternatives.items()
    }


@export("estimator.export.ServingInputReceiver")
class ServingInputReceiver(
    namedtuple("ServingInputReceiver", "features receiver_tensors receiver_tensors_alternatives")
):
    """The inputs of a served model, and the features that the model function gets.

    Args:
        features: a tensor, or tensors or sparse tensors by name; a single one is called
            "feature".
        receiver_tensors: the inputs: a tensor or tensors by name; a single one is called "input".
        receiver_tensors_alternatives: other tensors that can be fed instead, by the name of a
            further signature; or None.

    Raises:
        ValueError: if a name or value has a wrong type.
    """

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> ServingInputReceiver:
        return super().__new__(
            cls,
            checked_tensors(features, "feature", SINGLE_FEATURE_NAME, allow_int_keys=True),
            checked_tensors(receiver_tensors, "receiver_tensor", SINGLE_RECEIVER_NAME),
            _checked_alternatives(receiver_tensors_alternatives),
        )


@export("estimator.export.TensorServingInputReceiver")
class TensorServingInputReceiver(
    namedtuple(
        "TensorServingInputReceiver", "features receiver_tensors receiver_tensors_alternatives"
    )
):
    """The inputs of a served model whose model function takes one tensor instead of a dict.

    Args:
        features: a tensor or sparse tensor.
        receiver_tensors: the inputs: a tensor or tensors by name; a single one is called "input".
        receiver_tensors_alternatives: other tensors that can be fed instead, by the name of a
            further signature; or None.

    Raises:
        ValueError: if a name or value has a wrong type.
    """

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> TensorServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        _check_tensor(features, None)
        receiver = ServingInputReceiver(features, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(
            cls,
            receiver.features[SINGLE_FEATURE_NAME],
            receiver.receiver_tensors,
            receiver.receiver_tensors_alternatives,
        )


class UnsupervisedInputReceiver(ServingInputReceiver):
    """The inputs of a model that learns or is evaluated without labels."""

    def __new__(cls, features: Any, receiver_tensors: Any) -> UnsupervisedInputReceiver:
        return super().__new__(cls, features, receiver_tensors, None)  # type: ignore[return-value]


class SupervisedInputReceiver(
    namedtuple("SupervisedInputReceiver", "features labels receiver_tensors")
):
    """The inputs of an exported model that learns or is evaluated.

    Args:
        features: a tensor or tensors by name.
        labels: a tensor or tensors by name.
        receiver_tensors: the inputs: a tensor or tensors by name.

    Raises:
        ValueError: if a name or value has a wrong type.
    """

    def __new__(cls, features: Any, labels: Any, receiver_tensors: Any) -> SupervisedInputReceiver:
        # A single tensor stays one, as the model function expects it.
        for values, label in ((features, "feature"), (labels, "label")):
            checked_tensors(values, label, label, allow_int_keys=True)
        return super().__new__(
            cls,
            features,
            labels,
            checked_tensors(receiver_tensors, "receiver_tensor", SINGLE_RECEIVER_NAME),
        )


@export("estimator.export.build_parsing_serving_input_receiver_fn")
def build_parsing_serving_input_receiver_fn(
    feature_spec: dict[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Makes a function for models that take serialized tf.Examples.

    Args:
        feature_spec: FixedLenFeature, VarLenFeature and others by the names of features.
        default_batch_size: how many Examples a call has; None for any number.

    Returns:
        A function without arguments that returns a ServingInputReceiver.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        serialized = placeholder(
            dtypes.string, shape=[default_batch_size], name="input_example_tensor"
        )
        features = parse_example(serialized, feature_spec)
        return ServingInputReceiver(features, {"examples": serialized})

    return serving_input_receiver_fn


def _placeholder_like(tensor: TensorLike, default_batch_size: int | None) -> Tensor:
    """A placeholder of the name and shape of a tensor, but for the size of batches."""
    shape = tensor.get_shape()
    if shape.ndims is not None:
        shape = [default_batch_size, *shape.as_list()[1:]]
    return placeholder(tensor.dtype.base_dtype, shape=shape, name=tensor.op.name)


def _placeholders_like(
    tensors: dict[str, TensorLike], default_batch_size: int | None
) -> dict[str, Tensor]:
    return {name: _placeholder_like(t, default_batch_size) for name, t in tensors.items()}


@export("estimator.export.build_raw_serving_input_receiver_fn")
def build_raw_serving_input_receiver_fn(
    features: dict[str, TensorLike], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Makes a function for models that take their features directly.

    Args:
        features: tensors by name, of whose types and shapes placeholders are made.
        default_batch_size: the size of batches; None for any.

    Returns:
        A function without arguments that returns a ServingInputReceiver.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        inputs = _placeholders_like(features, default_batch_size)
        return ServingInputReceiver(dict(inputs), inputs)

    return serving_input_receiver_fn


@export(
    "estimator.experimental.build_raw_supervised_input_receiver_fn",
    "contrib.estimator.build_raw_supervised_input_receiver_fn",
)
def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """Makes a function for exported models that learn and take features and labels directly.

    Args:
        features: a tensor or tensors by name, of whose types and shapes placeholders are made.
        labels: a tensor or tensors by name.
        default_batch_size: the size of batches; None for any.

    Returns:
        A function without arguments that returns a SupervisedInputReceiver.

    Raises:
        ValueError: if features and labels have names in common.
    """
    if isinstance(features, dict) and isinstance(labels, dict):
        common = set(features) & set(labels)
        if common:
            raise ValueError(
                f"Features and labels must have distinct keys. Found overlapping keys: {common}"
            )

    def supervised_input_receiver_fn() -> SupervisedInputReceiver:
        made: list[Any] = []
        inputs: dict[str, Tensor] = {}
        for values, default_name in (
            (features, SINGLE_RECEIVER_NAME),
            (labels, SINGLE_LABEL_NAME),
        ):
            if isinstance(values, dict):
                placeholders = _placeholders_like(values, default_batch_size)
                made.append(placeholders)
                inputs.update(placeholders)
            else:
                single = _placeholder_like(values, default_batch_size)
                made.append(single)
                inputs[default_name] = single
        return SupervisedInputReceiver(made[0], made[1], inputs)

    return supervised_input_receiver_fn


@export("contrib.estimator.build_supervised_input_receiver_fn_from_input_fn")
def build_supervised_input_receiver_fn_from_input_fn(
    input_fn: Callable[..., Any], **input_fn_args: Any
) -> Callable[[], SupervisedInputReceiver]:
    """Makes a function for exported models that learn, with the types of an input function.

    Args:
        input_fn: a function that returns features and labels, or a Dataset of them.
        **input_fn_args: its arguments.

    Returns:
        A function without arguments that returns a SupervisedInputReceiver.
    """
    # The input function is called for types and shapes only.
    with Graph().as_default():
        features, labels, _ = parse_input_fn_result(input_fn(**input_fn_args))
    return build_raw_supervised_input_receiver_fn(features, labels)
