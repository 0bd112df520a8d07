"""New Estimators and Optimizers of others: forward_features, clip_gradients_by_norm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base.export import export
from headwater.estimator.estimator import Estimator
from headwater.estimator.export.outputs import ExportOutput, PredictOutput
from headwater.estimator.mode_keys import ModeKeys
from headwater.graph import Tensor
from headwater.graph.sparse_tensor import SparseTensor
from headwater.ops.math.clip_by_norm import clip_by_global_norm
from headwater.ops.sparse.dense import sparse_tensor_to_dense
from headwater.train.optimizers.optimizer import Optimizer


@export("contrib.estimator.forward_features")
def forward_features(
    estimator: Estimator,
    keys: str | Sequence[str] | None = None,
    sparse_default_values: Mapping[str, Any] | None = None,
) -> Estimator:
    """Makes an Estimator whose predictions have features too, such as the key of an example.

    Args:
        estimator: the Estimator, which stays as it is.
        keys: the names of the features; None for all.
        sparse_default_values: the values of missing elements of sparse features by name; or None.

    Returns:
        An Estimator with the same folder.

    Raises:
        TypeError: if the names are not strings.
    """
    _check_keys(keys)

    def new_model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        wanted = _wanted(keys, features)
        predictions = spec.predictions
        _check_names(wanted, features, predictions)
        predictions.update(
            {key: _forwarded(key, features[key], sparse_default_values) for key in wanted}
        )
        spec = spec._replace(predictions=predictions)
        if mode == ModeKeys.PREDICT:
            added = {key: predictions[key] for key in wanted}
            outputs = {
                name: _with_outputs(output, added) for name, output in spec.export_outputs.items()
            }
            spec = spec._replace(export_outputs=outputs)
        return spec

    return Estimator(model_fn=new_model_fn, model_dir=estimator.model_dir, config=estimator.config)


def _check_keys(keys: Any) -> None:
    if keys is None or isinstance(keys, str):
        return
    if not isinstance(keys, (list, tuple)):
        raise TypeError(f"keys should be either a string or a list of strings. Given: {type(keys)}")
    for key in keys:
        if not isinstance(key, str):
            raise TypeError(
                "All items in the given keys list should be a string. There exist an item with "
                f"type: {type(key)}"
            )


def _wanted(keys: Any, features: Mapping[str, Any]) -> list[str]:
    if keys is None:
        return list(features)
    return [keys] if isinstance(keys, str) else list(keys)


def _check_names(keys: Sequence[str], features: Mapping[str, Any], predictions: Any) -> None:
    if not isinstance(predictions, dict):
        raise ValueError(
            f"Predictions should be a dict to be able to forward features. Given: "
            f"{type(predictions)}"
        )
    for key in keys:
        if key not in features:
            raise ValueError(
                f'keys should be exist in features. Key "{key}" is not in features dict. features '
                f"dict has following keys: {features.keys()}. Please check arguments of "
                "forward_features."
            )
        if key in predictions:
            raise ValueError(
                f"Cannot forward feature key ({key}). Since it does exist in predictions. Existing "
                f"prediction keys: {predictions.keys()}. Please check arguments of "
                "forward_features."
            )


def _forwarded(key: str, feature: Any, sparse_default_values: Mapping[str, Any] | None) -> Tensor:
    if sparse_default_values and key in sparse_default_values:
        if not isinstance(feature, SparseTensor):
            raise ValueError(f"Feature ({key}) is expected to be a `SparseTensor`.")
        feature = sparse_tensor_to_dense(feature, default_value=sparse_default_values[key])
    if not isinstance(feature, Tensor):
        raise ValueError(
            f"Feature ({key}) should be a Tensor. Please use `keys` argument of forward_features "
            "to filter unwanted features, oradd key to argument `sparse_default_values`.Type of "
            f"features[{key}] is {type(feature)}."
        )
    return feature


def _with_outputs(output: ExportOutput, added: Mapping[str, Tensor]) -> ExportOutput:
    if not isinstance(output, PredictOutput):
        return output
    return PredictOutput({**output.outputs, **added})


@export("contrib.estimator.clip_gradients_by_norm")
def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: float) -> Optimizer:
    """Makes an Optimizer that scales gradients down to a global norm.

    Args:
        optimizer: the Optimizer that applies them.
        clip_norm: the largest global norm.

    Returns:
        An Optimizer.
    """

    def clip_grads(grads_and_vars: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        gradients, variables = zip(*grads_and_vars)
        clipped, _ = clip_by_global_norm(gradients, clip_norm)
        return list(zip(clipped, variables))

    return _TransformGradients(
        optimizer=optimizer,
        transform_grads_fn=clip_grads,
        name="ClipByNorm" + optimizer.get_name(),
    )


class _TransformGradients(Optimizer):
    """An Optimizer that changes gradients before another one applies them."""

    def __init__(
        self,
        optimizer: Optimizer,
        transform_grads_fn: Callable[..., Any],
        name: str | None = None,
    ) -> None:
        super().__init__(use_locking=False, name="TransformGradients" if name is None else name)
        self._optimizer = optimizer
        self._transform_grads_fn = transform_grads_fn

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The gradients of the other Optimizer, changed; its arguments."""
        return list(self._transform_grads_fn(self._optimizer.compute_gradients(*args, **kwargs)))

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Applies gradients by the other Optimizer; see Optimizer."""
        return self._optimizer.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """A slot of the other Optimizer; see Optimizer."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The slots of the other Optimizer; see Optimizer."""
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """The variables of the other Optimizer."""
        return self._optimizer.variables()
