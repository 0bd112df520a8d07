"""SavedModelEstimator: an Estimator whose graphs are those of a SavedModel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.estimator.estimator import Estimator
from headwater.estimator.export.outputs import PredictOutput
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EXPORT_TAGS, SIGNATURE_KEYS, EstimatorSpec
from headwater.estimator.warm_start import WarmStartSettings, saved_model_checkpoint
from headwater.graph import Graph, Tensor, convert_to_tensor, get_default_graph
from headwater.model.global_step import get_global_step
from headwater.serving.saved_model.assets import get_asset_tensors
from headwater.serving.saved_model.loader import SavedModelLoader, get_init_op, get_train_op
from headwater.train.checkpoints.checkpoint_reader import list_variables
from headwater.train.sessions.scaffold import Scaffold

_NOT_AVAILABLE = (
    "{} mode is not available in the SavedModel. Use saved_model_cli to check that the Metagraph "
    "for this mode has been exported."
)


@export("contrib.estimator.SavedModelEstimator")
class SavedModelEstimator(Estimator):
    """An Estimator that trains, evaluates and predicts with the graphs of a SavedModel.

    The graphs are those that `experimental_export_all_saved_models` of an Estimator has written;
    variables start from the values of the SavedModel.

    Args:
        saved_model_dir: the folder of the SavedModel.
        model_dir: the folder of checkpoints; or None.

    Raises:
        ValueError: if there is no SavedModel in the folder.
    """

    def __init__(self, saved_model_dir: Any, model_dir: str | None = None) -> None:
        checkpoint = saved_model_checkpoint(saved_model_dir)
        names = [name for name, _ in list_variables(checkpoint)]
        self._loader = SavedModelLoader(saved_model_dir)
        super().__init__(
            model_fn=self._model_fn_from_saved_model,
            model_dir=model_dir,
            warm_start_from=WarmStartSettings(checkpoint, vars_to_warm_start=names),
        )

    def _assert_members_are_not_overridden(self) -> None:
        """Allows the members that this class defines anew."""

    def _create_and_assert_global_step(self, graph: Graph) -> Any:
        # The graph of the SavedModel has one.
        return None

    def _model_fn_from_saved_model(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        if get_global_step() is not None:
            raise RuntimeError(
                "Graph must not contain a global step tensor before the SavedModel is loaded. "
                "Please make sure that the input function does not create a global step."
            )
        tags = EXPORT_TAGS[mode]
        meta_graph = self._meta_graph(mode)
        signature = meta_graph.signature_def[SIGNATURE_KEYS[mode]]
        inputs = _input_map(signature.inputs, features, labels)
        paths = get_asset_tensors(self._loader.export_dir, meta_graph)
        inputs.update((name, convert_to_tensor(path)) for name, path in paths.items())
        graph = get_default_graph()
        saver, _ = self._loader.load_graph(graph, tags, input_map=inputs)
        scaffold = Scaffold(local_init_op=get_init_op(meta_graph), saver=saver)
        if get_global_step() is None:
            raise ValueError("The SavedModel has no global step.")
        outputs = {
            name: graph.get_tensor_by_name(info.name) for name, info in signature.outputs.items()
        }
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(
                mode,
                predictions=outputs,
                export_outputs={SIGNATURE_KEYS[mode]: PredictOutput(outputs)},
                scaffold=scaffold,
            )
        return EstimatorSpec(
            mode,
            loss=outputs["loss"],
            predictions=_predictions(outputs),
            eval_metric_ops=_metrics(outputs),
            train_op=get_train_op(meta_graph) if mode == ModeKeys.TRAIN else None,
            scaffold=scaffold,
        )

    def _meta_graph(self, mode: str) -> Any:
        try:
            return self._loader.get_meta_graph_def_from_tags(EXPORT_TAGS[mode])
        except RuntimeError:
            raise RuntimeError(_NOT_AVAILABLE.format(mode)) from None


def _input_map(inputs: Mapping[str, Any], features: Any, labels: Any) -> dict[str, Tensor]:
    """What replaces the placeholders of a signature.

    Args:
        inputs: the TensorInfo of each input.
        features: a tensor, or tensors by name.
        labels: a tensor, tensors by name, or None.

    Returns:
        Tensors by the name of the node that they replace.

    Raises:
        ValueError: if an input is missing, or has another type or shape.
    """
    given = dict(features) if isinstance(features, dict) else {"feature": features}
    if labels is not None:
        given.update(labels if isinstance(labels, dict) else {"label": labels})
    found: dict[str, Tensor] = {}
    for key, info in inputs.items():
        if key not in given:
            raise ValueError(
                f'Key "{key}" not found in features or labels passed in to the model function. '
                f"All required keys: {inputs.keys()}"
            )
        _check_input(key, info, given[key])
        found[info.name.partition(":")[0]] = given[key]
    return found


def _check_input(key: str, info: Any, value: Tensor) -> None:
    errors = ""
    dtype, shape = as_dtype(info.dtype), TensorShape(info.tensor_shape)
    if value.dtype != dtype:
        errors += f"\n\tExpected dtype: {dtype}, Got: {value.dtype}"
    if not shape.is_compatible_with(value.get_shape()):
        errors += f"\n\tExpected shape: {shape}, Got: {value.get_shape()}"
    if errors:
        raise ValueError(f"Tensor shape and/or dtype validation failed for input {key}:{errors}")


def _predictions(outputs: Mapping[str, Tensor]) -> Any:
    """The predictions of a supervised signature; None if there are none."""
    if "predictions" in outputs:
        return outputs["predictions"]
    prefix = "predictions/"
    found = {
        name[len(prefix) :]: value for name, value in outputs.items() if name.startswith(prefix)
    }
    return found or None


def _metrics(outputs: Mapping[str, Tensor]) -> dict[str, tuple[Tensor, Tensor]]:
    """The metrics of a supervised signature by name: pairs of value and update op."""
    value, update = "/value", "/update_op"
    names = [
        name[: -len(value)]
        for name in outputs
        if name.startswith("metrics/") and name.endswith(value)
    ]
    return {name: (outputs[name + value], outputs[name + update]) for name in names}
