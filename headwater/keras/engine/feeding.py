"""Models that are fed: arrays are checked and made to the feeds of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.graph import SparseTensor, SparseTensorValue, Tensor
from headwater.keras.backend.graph_state import get_session, learning_phase
from headwater.keras.backend.tensors import placeholder
from headwater.keras.engine import data
from headwater.keras.engine.compiling import CompiledModel
from headwater.keras.engine.weighting import class_factors, standard_weights
from headwater.model.trackable.base import no_automatic_dependency_tracking


class FedModel(CompiledModel):
    """A compiled model whose steps are run with arrays or tensors."""

    def _run(
        self, mode: str, inputs: Sequence[Any], targets: Sequence[Any] = (), weights: Any = ()
    ) -> list[Any]:
        """Runs one step.

        Args:
            mode: "train", "test" or "predict".
            inputs: an array or tensor for each input that is fed.
            targets: the same for each target that is fed.
            weights: the weights of examples of each output, or nothing.
        """
        fetches = self._fetches(mode)
        session = get_session(self.inputs)
        inputs, targets, weights = _fed_values(session, [inputs, targets, weights])
        if self._workers is not None:
            inputs, targets, weights = map(self._workers.own_rows, (inputs, targets, weights))
        feed = dict(zip(self._fed_inputs(), inputs))
        feed.update(zip([e.target for e in self._endpoints if e.is_fed], targets))
        if self._uses_weights_now() and mode != "predict":
            feed.update(self._weight_feeds(inputs, targets, weights))
        feed = {key: _for_feed(key, value) for key, value in feed.items()}
        phase = learning_phase()
        if not isinstance(phase, int) and mode == "train":
            feed[phase] = True
        arguments = self.__dict__.get("_run_arguments", {})
        extra, receive = self._extra_fetches.get(mode, ((), None))
        (results, _), value = session.run((fetches, extra), feed, **arguments)
        if receive is not None:
            receive(value)
        return list(results)

    def _weight_feeds(
        self, inputs: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any]
    ) -> dict[Any, Any]:
        feeds: dict[Any, Any] = {}
        found = iter(targets)
        for i, endpoint in enumerate(self._endpoints):
            target = next(found, None) if endpoint.is_fed else None
            given = weights[i] if i < len(weights) else None
            if given is None:
                rank = endpoint.sample_weight.shape.ndims
                like = target if target is not None else (inputs[0] if inputs else np.ones(1))
                given = np.ones([int(size) for size in like.shape[:rank]])
            feeds[endpoint.sample_weight] = given
        return feeds

    def _uses_weights_now(self) -> bool:
        return bool(self.__dict__.get("_uses_weights"))

    def _fed_inputs(self) -> list[Any]:
        return [x for x in self.inputs if x.op.type.startswith("Placeholder")]

    def _fed_input_names(self) -> list[str]:
        pairs = zip(self.inputs, self.input_names)
        return [name for x, name in pairs if x.op.type.startswith("Placeholder")]

    def _set_inputs(self, inputs: Any, outputs: Any = None) -> None:
        """Makes placeholders like the data for a model of a subclass, and calls it."""
        if self.inputs:
            return
        made = nest.map_structure(_placeholder_like, inputs) if outputs is None else inputs
        flat = nest.flatten(made)
        if outputs is None:
            arguments = {"training": learning_phase()} if self._call_takes("training") else {}
            # Layers that `build` makes are tracked.
            outputs = self(made, **arguments)
        self._keep_inputs(flat, outputs, _names_of(made))

    @no_automatic_dependency_tracking
    def _keep_inputs(
        self, flat: list[Any], outputs: Any, names: Sequence[str] | None = None
    ) -> None:
        self.inputs = flat
        self.input_names = list(names or [f"input_{i + 1}" for i in range(len(flat))])
        self.outputs = nest.flatten(outputs)
        self.output_names = [f"output_{i + 1}" for i in range(len(self.outputs))]
        self.built = True

    def _prepare(self, x: Any, training: bool) -> None:
        """Makes inputs, outputs and losses if the first data decides on them.

        Raises:
            RuntimeError: if the model is to be trained and has not been compiled.
        """
        if not self.inputs:
            shown = list(x) if isinstance(x, tuple) else x
            if isinstance(shown, list) and shown and not hasattr(shown[0], "shape"):
                shown = np.asarray(shown)
            self._set_inputs(shown)
        if training and self._compile_arguments is None:
            raise RuntimeError(
                "You must compile your model before training/testing. Use `model.compile(optimizer,"
                " loss)`."
            )
        if self._compile_arguments is not None and not self._endpoints:
            self._compile_outputs()

    def _arrays(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        training: bool = True,
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """Inputs, targets and weights as lists of arrays, checked."""
        self._prepare(x, training)
        names = self._fed_input_names()
        inputs = data.as_arrays(x, names, "input")
        data.check_shapes(inputs, names, [_dims(i) for i in self._fed_inputs()], "input")
        if not training:
            return inputs, [], []
        fed = [endpoint for endpoint in self._endpoints if endpoint.is_fed]
        names = [endpoint.name for endpoint in fed]
        targets: list[Any] = [] if y is None else data.as_arrays(y, names, "target")
        weights = self._weights(targets, sample_weight, class_weight)
        data.check_lengths(inputs, targets, [w for w in weights if w is not None])
        for target, endpoint in zip(targets, fed):
            endpoint.check_target(target)
        return inputs, targets, weights

    def _weights(self, targets: list[Any], sample_weight: Any, class_weight: Any) -> list[Any]:
        if sample_weight is None and class_weight is None:
            return []
        self._use_weights()
        names = self.output_names
        found = standard_weights(sample_weight, names)
        many = isinstance(class_weight, dict) and set(class_weight) <= set(names)
        for i, endpoint in enumerate(self._endpoints):
            target = targets[i] if i < len(targets) else None
            if found[i] is not None:
                found[i] = endpoint.checked_weight(found[i], target)
            of_classes = class_weight.get(names[i]) if many else class_weight
            if isinstance(of_classes, dict) and target is not None:
                factors = class_factors(target, of_classes)
                found[i] = factors if found[i] is None else found[i] * factors
        return found


def _names_of(inputs: Any) -> list[str] | None:
    """The names of inputs that come as a dict, in the order of the flat list; else None."""
    if isinstance(inputs, dict) and not any(nest.is_sequence(part) for part in inputs.values()):
        return sorted(inputs)
    return None


def _fed_values(session: Any, lists: list[Any]) -> list[Any]:
    """Lists of arrays with the values of tensors, all taken in one run."""
    symbolic = [x for each in lists for x in each if isinstance(x, (Tensor, SparseTensor))]
    if not symbolic:
        return lists
    values = dict(zip(map(id, symbolic), session.run(symbolic)))
    return [[values.get(id(x), x) for x in each] for each in lists]


def _for_feed(fed: Any, value: Any) -> Any:
    """A matrix of scipy as the fed tensor takes it."""
    if not hasattr(value, "tocoo"):
        return value
    if not isinstance(fed, SparseTensor):
        return value.toarray()
    matrix = value.tocoo()
    return SparseTensorValue(np.stack([matrix.row, matrix.col], 1), matrix.data, matrix.shape)


def _dims(tensor: Any) -> tuple[int | None, ...] | None:
    return None if tensor.shape.ndims is None else tuple(tensor.shape.as_list())


def _placeholder_like(x: Any) -> Any:
    if hasattr(x, "op"):
        return x if x.op.type.startswith("Placeholder") else _placeholder(x.shape.as_list(), x)
    x = np.asarray(x)
    return _placeholder((None, *x.shape[1:]) if x.ndim > 1 else (None, 1), x)


def _placeholder(shape: Any, x: Any) -> Any:
    name = x.dtype.name
    dtype = "float32" if name == "float64" else name
    return placeholder(shape=(None, *shape[1:]), dtype=dtype)
