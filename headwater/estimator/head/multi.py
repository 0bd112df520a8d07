"""Several heads over one set of logits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.export.outputs import ExportOutput, PredictOutput
from headwater.estimator.head.base import (
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    LossSpec,
    _Head,
)
from headwater.estimator.head.training_ops import (
    make_train_op,
    summary_key,
    write_loss_summaries,
)
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Tensor, convert_to_tensor, name_scope
from headwater.model.metrics import means
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.shape import shape
from headwater.ops.array.slice import slice_
from headwater.ops.control.identity import no_op
from headwater.ops.math.add_n import add_n


def check_heads(heads: Sequence[Any], head_weights: Sequence[float] | None) -> None:
    """Checks the heads that one is made of, and their weights.

    Raises:
        ValueError: if there are none, one has no name, or there is not a weight for each.
    """
    if head_weights and len(head_weights) != len(heads):
        raise ValueError(
            "heads and head_weights must have the same size. Given len(heads): "
            f"{len(heads)}. Given len(head_weights): {len(head_weights)}."
        )
    if not heads:
        raise ValueError(f"Must specify heads. Given: {heads}")
    for head in heads:
        if not head.name:
            raise ValueError(f"All given heads must have name specified. Given: {head}")


def split_logits(heads: Sequence[Any], logits: Any) -> dict[str, Tensor]:
    """The logits of each head.

    Args:
        heads: the heads.
        logits: a tensor with the logits of all heads side by side.

    Returns:
        A tensor by the name of a head.

    Raises:
        ValueError: if the last dimension is not the sum of those of the heads.
    """
    dimensions = [head.logits_dimension for head in heads]
    parts = {}
    with name_scope(None, "split_logits", values=[logits]):
        logits = convert_to_tensor(logits)
        static = logits.shape.as_list()
        if static[-1] is not None and static[-1] != sum(dimensions):
            raise ValueError(
                f"Could not split logits of shape {static!r} among the heads with individual "
                f"logits dimensions: {dimensions!r}. The last dimension of the logits tensor "
                # Given and wanted are swapped, as in TensorFlow.
                f"should equal {static[-1]} but is {sum(dimensions)}."
            )
        batch = shape(logits)[:-1]
        zeros, all_of_batch = zeros_like(batch), -1 * ones_like(batch)
        begin = 0
        for head, dimension in zip(heads, dimensions):
            parts[head.name] = slice_(
                logits,
                begin=concat([zeros, [begin]], axis=0),
                size=concat([all_of_batch, [dimension]], axis=0),
            )
            begin += dimension
    return parts


def merged_loss(losses: Iterable[Tensor], head_weights: Sequence[float]) -> Tensor:
    """The weighted sum of the losses of heads."""
    losses = tuple(losses)
    with name_scope("merge_losses", values=(*losses, *head_weights)):
        if head_weights:
            losses = tuple(loss * weight for loss, weight in zip(losses, head_weights))
        return add_n(losses)


def merged_export_outputs(
    names: Sequence[str], specs: Sequence[EstimatorSpec], library: str
) -> dict[str, ExportOutput]:
    """The export outputs of all heads by name, that of the first one as the default.

    Args:
        names: the names of the heads.
        specs: their EstimatorSpecs for prediction.
        library: where the heads of the library are, as an error says it.

    Returns:
        ExportOutputs by name.

    Raises:
        ValueError: if the first head has no default output.
    """
    outputs = {DEFAULT_SERVING_KEY: _default_output(names[0], specs[0].export_outputs, library)}
    predicted: dict[str, Tensor] = {}
    for name, spec in zip(names, specs):
        for key, output in spec.export_outputs.items():
            outputs[name if key == DEFAULT_SERVING_KEY else f"{name}/{key}"] = output
            if key == PREDICT_SERVING_KEY and isinstance(output, PredictOutput):
                predicted.update(
                    (f"{name}/{inner}", value) for inner, value in output.outputs.items()
                )
    outputs[PREDICT_SERVING_KEY] = PredictOutput(predicted)
    return outputs


def _default_output(name: str, outputs: Mapping[str, ExportOutput], library: str) -> ExportOutput:
    if len(outputs) == 1:
        return next(iter(outputs.values()))
    if DEFAULT_SERVING_KEY not in outputs:
        raise ValueError(
            f"{name} did not specify default export_outputs. Given: {outputs} Suggested fix: Use "
            f"one of the heads in {library}, or include key {DEFAULT_SERVING_KEY} in "
            "export_outputs."
        )
    return outputs[DEFAULT_SERVING_KEY]


def merged_predictions(
    names: Sequence[str], specs: Sequence[EstimatorSpec]
) -> dict[tuple[str, str], Tensor]:
    """The predictions of all heads by the names of head and prediction."""
    return {
        (name, key): value
        for name, spec in zip(names, specs)
        for key, value in spec.predictions.items()
    }


def train_later(loss: Tensor) -> Any:
    """The train op of a head whose loss is trained together with others."""
    return no_op()


class MultiHeadKind:
    """What several heads as one of both generations have in common."""

    def __init__(self, heads: Sequence[Any], head_weights: Sequence[float] | None = None) -> None:
        check_heads(heads, head_weights)
        self._heads = tuple(heads)
        self._head_weights = tuple(head_weights or ())

    @property
    def name(self) -> str:
        """The names of the heads, joined."""
        return "_".join(self._names)

    @property
    def _names(self) -> list[str]:
        return [head.name for head in self._heads]

    @property
    def logits_dimension(self) -> int:
        """How many logits an example has for all heads."""
        return sum(head.logits_dimension for head in self._heads)


class MultiObjectiveHead(MultiHeadKind, _Head):
    """Several heads as one.

    Args:
        heads: the heads, each with a name.
        head_weights: the weights of their losses; or None.

    Raises:
        ValueError: if there are none, one has no name, or there is not a weight for each.
    """

    def _by_head(self, logits: Any) -> Mapping[str, Any]:
        return logits if isinstance(logits, dict) else split_logits(self._heads, logits)

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """Makes the loss.

        Args:
            features: the features by name.
            mode: a value of ModeKeys.
            logits: a tensor with the logits of all heads, or a tensor by the name of a head.
            labels: the labels by the name of a head.

        Returns:
            A LossSpec with the sum of the losses; the rest of it is by the name of a head.
        """
        logits_by_head = self._by_head(logits)
        specs = {
            head.name: head.create_loss(
                features, mode, logits_by_head[head.name], labels[head.name]
            )
            for head in self._heads
        }
        loss = merged_loss((spec.training_loss for spec in specs.values()), self._head_weights)
        factors = dict(zip(specs, self._head_weights or (None,) * len(specs)))

        def weighted(value: Any, name: str) -> Any:
            return value if factors[name] is None else value * factors[name]

        return LossSpec(
            training_loss=loss,
            unreduced_loss={name: weighted(spec[1], name) for name, spec in specs.items()},
            weights={name: weighted(spec[2], name) for name, spec in specs.items()},
            processed_labels={name: spec[3] for name, spec in specs.items()},
        )

    def create_estimator_spec(  # type: ignore[override]
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
    ) -> EstimatorSpec:
        """Makes what a model function returns.

        Args:
            features: the features by name.
            mode: a value of ModeKeys.
            logits: a tensor with the logits of all heads, or a tensor by the name of a head.
            labels: the labels by the name of a head.
            optimizer: an Optimizer; or None.
            train_op_fn: a function of the loss that returns the train op; or None.

        Returns:
            An EstimatorSpec.

        Raises:
            ValueError: if the labels are not by name, or the mode is unknown.
        """
        logits_by_head = self._by_head(logits)
        if labels and not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        specs = [
            head.create_estimator_spec(
                features=features,
                mode=mode,
                logits=logits_by_head[head.name],
                labels=labels[head.name] if labels else None,
                train_op_fn=train_later,
            )
            for head in self._heads
        ]
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(
                mode=mode,
                predictions=merged_predictions(self._names, specs),
                export_outputs=merged_export_outputs(self._names, specs, "tf.contrib.estimator"),
            )
        if mode == ModeKeys.EVAL:
            return self._merged_evaluation(specs)
        if mode == ModeKeys.TRAIN:
            return self._merged_training(specs, optimizer, train_op_fn)
        raise ValueError(f"mode={mode} unrecognized")

    def _merged_training(
        self, specs: Sequence[EstimatorSpec], optimizer: Any, train_op_fn: Any
    ) -> EstimatorSpec:
        loss = merged_loss((spec.loss for spec in specs), self._head_weights)
        spec = EstimatorSpec(
            mode=ModeKeys.TRAIN,
            loss=loss,
            train_op=make_train_op(optimizer, train_op_fn, loss),
            predictions=merged_predictions(self._names, specs),
            eval_metric_ops=_all_metrics(specs),
        )
        write_loss_summaries(None, loss)
        return spec

    def _merged_evaluation(self, specs: Sequence[EstimatorSpec]) -> EstimatorSpec:
        loss = merged_loss((spec.loss for spec in specs), self._head_weights)
        metrics = {}
        with name_scope("merge_eval"):
            for name, spec in zip(self._names, specs):
                key = summary_key(name, MetricKeys.LOSS)
                metrics[key] = means.mean(spec.loss, name=key)
                metrics.update(spec.eval_metric_ops or {})
        return EstimatorSpec(
            mode=ModeKeys.EVAL,
            predictions=merged_predictions(self._names, specs),
            loss=loss,
            eval_metric_ops=metrics,
        )


def _all_metrics(specs: Sequence[EstimatorSpec]) -> dict[str, Any]:
    metrics: dict[str, Any] = {}
    for spec in specs:
        metrics.update(spec.eval_metric_ops or {})
    return metrics
