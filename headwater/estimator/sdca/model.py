"""SdcaModel: a linear model trained by stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.estimator.sdca.partitioned_rows import PartitionedRows
from headwater.estimator.sdca.sharded_table import ShardedMutableDenseHashTable
from headwater.graph import Operation, Tensor, build, convert_to_tensor, group, name_scope
from headwater.graph.default_graph import colocate_with, control_dependencies, device
from headwater.model.nn.cross_entropy import log_poisson_loss, sigmoid_cross_entropy_with_logits
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.variable import Variable
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like, zeros_like
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.split import split
from headwater.ops.array.unique import unique
from headwater.ops.math.add_n import add_n
from headwater.ops.math.arithmetic import multiply, subtract
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import exp, sigmoid
from headwater.ops.math.matmul import matmul
from headwater.ops.math.powers import square
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.segments import segment_sum
from headwater.ops.math.sign import absolute
from headwater.ops.nn.relu import relu
from headwater.ops.state.assign import assign_add
from headwater.ops.summary.scalar import scalar

LOSSES = ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")
_WEIGHTS = ("sparse_features_weights", "dense_features_weights")
_FEATURES = ("example_weights", "sparse_features", "dense_features")


def _check_specified(names: Sequence[str], given: Mapping[str, Any]) -> None:
    for name in names:
        given[name]


def _parts(variable: Any) -> list[Any]:
    """The parts of a variable, as a list."""
    return list(variable) if isinstance(variable, PartitionedVariable | list) else [variable]


def _whole(variable: Any) -> Tensor:
    """The value of a variable; that of one in parts is put together."""
    if isinstance(variable, PartitionedVariable):
        variable = list(variable)
    if isinstance(variable, list):
        return concat(variable, axis=0)
    return convert_to_tensor(variable)


class SdcaModel:
    """A linear model trained by stochastic dual coordinate ascent.

    The state of the examples is kept by their ids, so a model may be trained in mini-batches.

    Args:
        examples: a dictionary: "sparse_features" a list of SparseFeatureColumn; "dense_features" a
            list of float32 matrices; "example_labels", "example_weights" and "example_ids", vectors
            of float32, float32 and string.
        variables: a dictionary of lists of variables, "sparse_features_weights" and
            "dense_features_weights".
        options: a dictionary: "symmetric_l1_regularization" and "symmetric_l2_regularization",
            numbers; "loss_type", one of "logistic_loss", "squared_loss", "hinge_loss",
            "smooth_hinge_loss" and "poisson_loss"; and optionally "num_loss_partitions",
            "num_table_shards" and "adaptive".

    Raises:
        ValueError: if an argument is missing, the loss unknown, or a regularization negative.
    """

    # What follows the name of a variable in the name of its value before L1 regularization.
    _SLOT = "_unshrunk"
    # Whether that value is a resource variable.
    _USE_RESOURCE: bool | None = True

    def __init__(
        self,
        examples: Mapping[str, Any] | None,
        variables: Mapping[str, Any] | None,
        options: Mapping[str, Any] | None,
    ) -> None:
        if not examples or not variables or not options:
            raise ValueError("examples, variables and options must all be specified.")
        if options["loss_type"] not in LOSSES:
            raise ValueError("Unsupported loss_type: ", options["loss_type"])
        _check_specified(
            ("example_labels", "example_weights", "example_ids", *_FEATURES[1:]), examples
        )
        _check_specified(_WEIGHTS, variables)
        for name in ("symmetric_l1_regularization", "symmetric_l2_regularization"):
            if float(options[name]) < 0.0:
                raise ValueError(f"{name} should be non-negative. Found ({options[name]:f})")
        self._examples = examples
        self._variables = variables
        self._options = options
        self._create_slots()
        self._hashtable = ShardedMutableDenseHashTable(
            key_dtype=dtypes.int64,
            value_dtype=dtypes.float32,
            num_shards=options.get("num_table_shards") or 1,
            default_value=[0.0, 0.0, 0.0, 0.0],
            # Fingerprints are 128 bits; two of them are reserved.
            empty_key=[0, 0],
            deleted_key=[1, 1],
        )
        scalar("approximate_duality_gap", self.approximate_duality_gap())
        scalar("examples_seen", self._hashtable.size())

    @property
    def _l1(self) -> float:
        return float(self._options["symmetric_l1_regularization"])

    @property
    def _l2(self) -> float:
        # The algorithm needs some strong convexity.
        return max(float(self._options["symmetric_l2_regularization"]), 1.0)

    def _create_slots(self) -> None:
        """Makes for each variable another one, its value before L1 regularization."""
        self._slots: dict[str, list[Any]] = {}
        for name in _WEIGHTS:
            self._slots[name] = []
            for variable in self._variables[name]:
                slots = [self._slot(part) for part in _parts(variable)]
                in_parts = isinstance(variable, PartitionedVariable | list)
                self._slots[name].append(slots if in_parts else slots[0])

    def _slot(self, variable: Any) -> Variable:
        with device(variable.device):
            initial = zeros_like(variable.initialized_value(), dtypes.float32)
            return Variable(
                initial_value=initial,
                name=variable.op.name + self._SLOT,
                use_resource=self._USE_RESOURCE,
            )

    def _weights_and_slots(self) -> list[tuple[Any, Any]]:
        return [
            pair
            for name in _WEIGHTS
            for variable, slot in zip(self._variables[name], self._slots[name])
            for pair in zip(_parts(variable), _parts(slot))
        ]

    def _weights(self) -> list[Tensor]:
        parts = [p for name in _WEIGHTS for v in self._variables[name] for p in _parts(v)]
        return [convert_to_tensor(part) for part in parts]

    def _l1_loss(self) -> Tensor:
        with name_scope("sdca/l1_loss"):
            sums = [reduce_sum(absolute(cast(w, dtypes.float64))) for w in self._weights()]
            return self._l1 * add_n(sums)

    def _l2_loss(self) -> Tensor:
        with name_scope("sdca/l2_loss"):
            sums = [reduce_sum(square(cast(w, dtypes.float64))) for w in self._weights()]
            return self._l2 * add_n(sums) / 2.0

    def _linear_predictions(self, examples: Mapping[str, Any]) -> Tensor:
        """Returns the products of examples and weights.

        Args:
            examples: a dictionary with "sparse_features" and "dense_features".
        """
        with name_scope("sdca/prediction"):
            weights = [_whole(v) for v in self._variables["sparse_features_weights"]]
            sparse: Any = 0.0
            for column, weight in zip(examples["sparse_features"], weights):
                sparse += segment_sum(
                    multiply(gather(weight, column.feature_indices), column.feature_values),
                    column.example_indices,
                )
            weights = [_whole(v) for v in self._variables["dense_features_weights"]]
            dense: Any = 0.0
            for feature, weight in zip(examples["dense_features"], weights):
                dense += matmul(feature, expand_dims(weight, -1))
        # A feature with one column or many: a vector either way.
        return reshape(dense, [-1]) + sparse

    def predictions(self, examples: Mapping[str, Any]) -> Tensor:
        """Returns the predictions of the model.

        Args:
            examples: as in the constructor; labels and ids are not needed.

        Returns:
            A float32 vector: probabilities for "logistic_loss", expected counts for
            "poisson_loss", products of examples and weights otherwise.
        """
        _check_specified(_FEATURES, examples)
        result = self._linear_predictions(examples)
        if self._options["loss_type"] == "logistic_loss":
            with name_scope("sdca/logistic_prediction"):
                return sigmoid(result)
        if self._options["loss_type"] == "poisson_loss":
            with name_scope("sdca/poisson_prediction"):
                return exp(result)
        return result

    def unregularized_loss(self, examples: Mapping[str, Any]) -> Tensor:
        """Returns the mean loss of examples.

        Args:
            examples: as in the constructor; ids are not needed.

        Returns:
            A float64 scalar.
        """
        _check_specified(("example_labels", *_FEATURES), examples)
        with name_scope("sdca/unregularized_loss"):
            logits = cast(self._linear_predictions(examples), dtypes.float64)
            labels = cast(convert_to_tensor(examples["example_labels"]), dtypes.float64)
            weights = cast(convert_to_tensor(examples["example_weights"]), dtypes.float64)
            loss_type = self._options["loss_type"]
            if loss_type == "squared_loss":
                total = reduce_sum(multiply(square(subtract(labels, logits)), weights))
                return total / (2.0 * reduce_sum(weights))
            losses = _losses(loss_type, labels, logits)
            return reduce_sum(multiply(losses, weights)) / reduce_sum(weights)

    def regularized_loss(self, examples: Mapping[str, Any]) -> Tensor:
        """Returns the mean loss of examples with the regularization.

        Args:
            examples: as in the constructor; ids are not needed.

        Returns:
            A float64 scalar.
        """
        _check_specified(("example_labels", *_FEATURES), examples)
        with name_scope("sdca/regularized_loss"):
            weights = convert_to_tensor(examples["example_weights"])
            penalty = self._l1_loss() + self._l2_loss()
            mean = penalty / reduce_sum(cast(weights, dtypes.float64))
            return mean + self.unregularized_loss(examples)

    def approximate_duality_gap(self) -> Tensor:
        """Returns how far the model is from the best, a bound from the states of the examples.

        Returns:
            A float64 scalar.
        """
        with name_scope("sdca/approximate_duality_gap"):
            _, states = self._hashtable.export_sharded()
            sums: list[Tensor] = []
            for values in states:
                # One part after the other, to have not all of them in memory as float64.
                with control_dependencies(sums):
                    sums.append(reduce_sum(cast(values, dtypes.float64), 0))
            total = add_n(sums)
            gap = total[1] + total[2] + self._l1_loss() + 2.0 * self._l2_loss()
            return gap / total[3]

    def minimize(self, global_step: Any = None, name: str | None = None) -> Operation:
        """Returns the op of a training step over the examples.

        Args:
            global_step: the variable that counts the steps; or None.
            name: the name of the op.

        Returns:
            An operation. The model has the new weights after the op of `update_weights`.
        """
        with name_scope("sdca/minimize"):
            ids = convert_to_tensor(self._examples["example_ids"])
            hashed = build.SdcaFprint(ids)
            states = self._hashtable.lookup(hashed)
            rows = [
                PartitionedRows(slot, _unique_ids(column.feature_indices))
                for column, slot in zip(
                    self._examples["sparse_features"], self._slots["sparse_features_weights"]
                )
            ]
            dense_slots = self._slots["dense_features_weights"]
            new_states, sparse_deltas, dense_deltas = self._step(states, rows, dense_slots)
            with control_dependencies([new_states]):
                updates: list[Any] = [self._hashtable.insert(hashed, new_states)]
                for row, delta in zip(rows, sparse_deltas):
                    updates.extend(row.scatter_add(delta))
                for slot, delta in zip(dense_slots, dense_deltas):
                    updates.extend(_dense_updates(slot, delta))
            if global_step is None:
                return group(*updates, name=name)
            with control_dependencies(updates), colocate_with(global_step):
                return assign_add(global_step, 1, name=name).op

    def _step(
        self, states: Tensor, rows: Sequence[PartitionedRows], dense_slots: Sequence[Any]
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """Runs the ascent; returns the new states and the changes of the weights."""
        examples = self._examples
        columns = examples["sparse_features"]
        values = [c.feature_values for c in columns if c.feature_values is not None]
        found = build.SdcaOptimizerV2(
            [c.example_indices for c in columns],
            [c.feature_indices for c in columns],
            values,
            [convert_to_tensor(d) for d in examples["dense_features"]],
            convert_to_tensor(examples["example_weights"]),
            convert_to_tensor(examples["example_labels"]),
            [row.ids for row in rows],
            [row.gather() for row in rows],
            [_whole(slot) for slot in dense_slots],
            states,
            loss_type=self._options["loss_type"],
            l1=self._l1,
            l2=self._l2,
            num_loss_partitions=self._options.get("num_loss_partitions") or 1,
            # The table has one state for an example, so one iteration at a time.
            num_inner_iterations=1,
            adaptive=self._options.get("adaptive", True),
        )
        return found[0], list(found[1]), list(found[2])

    def update_weights(self, train_op: Operation) -> Operation:
        """Returns the op that gives the model the weights that training found.

        Args:
            train_op: the op of `minimize`, after which this one runs.
        """
        with control_dependencies([train_op]):
            updates = [self._assign_shrunk(v, slot) for v, slot in self._weights_and_slots()]
        return group(*updates)

    def _assign_shrunk(self, variable: Any, slot: Any) -> Any:
        with device(variable.device):
            if not self._l1:
                return variable.assign(slot)
            distance = absolute(slot) - self._l1 / self._l2
            return variable.assign(build.Sign(slot) * relu(distance))


def _losses(loss_type: str, labels: Tensor, logits: Tensor) -> Tensor:
    """The losses of examples."""
    if loss_type == "logistic_loss":
        return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    if loss_type == "poisson_loss":
        return log_poisson_loss(targets=labels, log_input=logits)
    ones = ones_like(logits)
    signs = subtract(2 * labels, ones)
    return relu(subtract(ones, multiply(signs, logits)))


def _unique_ids(feature_indices: TensorLike) -> Tensor:
    """The ids of a feature, each once, in the order in which they occur."""
    ids, _ = unique(cast(feature_indices, dtypes.int32))
    return cast(ids, dtypes.int64)


def _dense_updates(slot: Any, delta: Tensor) -> list[Any]:
    """Adds to a variable, or to its parts."""
    if not isinstance(slot, list):
        return [slot.assign_add(delta)]
    deltas = split(delta, [part.shape.as_list()[0] for part in slot])
    return [part.assign_add(d) for part, d in zip(slot, deltas)]
