"""WALSMatrixFactorization: factors of a matrix, as an estimator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.export import export
from headwater.base.typing import Array, TensorLike
from headwater.contrib.factorization.wals import WALSModel
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.graph import Operation, build, group
from headwater.graph.default_graph import colocate_with, control_dependencies
from headwater.graph.graph_keys import GraphKeys
from headwater.model.global_step import get_global_step
from headwater.model.variables.variable import Variable
from headwater.ops.array.fill import fill, ones_like
from headwater.ops.control.cond import cond
from headwater.ops.control.identity import no_op
from headwater.ops.math.cast import cast
from headwater.ops.math.logical import logical_not
from headwater.ops.math.powers import sqrt
from headwater.ops.math.reduce_functions import reduce_all
from headwater.ops.state.assign import assign, assign_add
from headwater.ops.state.scatter import scatter_update
from headwater.ops.summary.scalar import scalar
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class _SweepHook(SessionRunHook):
    """Trains the rows and the columns in turn: when all of one kind are done, the other is next.

    Args:
        is_row_sweep: a boolean variable.
        is_sweep_done: a boolean variable.
        init_op: initializes the caches of this worker.
        prep_ops: the ops to run in order before a sweep over columns, and over rows.
        train_ops: the ops of a step of a sweep over columns, and over rows.
        switch_op: begins the other kind of sweep.
    """

    def __init__(
        self,
        is_row_sweep: Any,
        is_sweep_done: Any,
        init_op: Operation,
        prep_ops: Sequence[Sequence[Operation]],
        train_ops: Sequence[Operation],
        switch_op: Operation,
    ) -> None:
        self._is_row_sweep = is_row_sweep
        self._is_sweep_done = is_sweep_done
        self._init_op = init_op
        self._prep_ops = prep_ops
        self._train_ops = train_ops
        self._switch_op = switch_op
        self._is_initialized = False

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Prepares the next sweep if one begins, and asks for the step."""
        session = run_context.session
        is_done = session.run(self._is_sweep_done)
        if not self._is_initialized:
            logging.info("SweepHook running init op.")
            session.run(self._init_op)
        if is_done:
            logging.info("SweepHook starting the next sweep.")
            session.run(self._switch_op)
        by_rows = bool(session.run(self._is_row_sweep))
        if is_done or not self._is_initialized:
            logging.info(
                "SweepHook running prep ops for the %s sweep.", "row" if by_rows else "col"
            )
            for op in self._prep_ops[by_rows]:
                session.run(op)
        self._is_initialized = True
        return SessionRunArgs(fetches=[self._train_ops[by_rows]])


class _StopAtSweepHook(SessionRunHook):
    """Stops training after a number of sweeps.

    Args:
        completed_sweeps: the variable that counts them.
        last_sweep: the number.
    """

    def __init__(self, completed_sweeps: Any, last_sweep: int) -> None:
        self._completed_sweeps = completed_sweeps
        self._last_sweep = last_sweep

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the number of sweeps."""
        return SessionRunArgs(self._completed_sweeps)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Stops if there were enough."""
        sweeps = run_context.session.run(self._completed_sweeps)
        if sweeps >= self._last_sweep:
            logging.info("StopAtSweepHook stopping after %d sweeps.", sweeps)
            run_context.request_stop()


@export("contrib.factorization.WALSMatrixFactorization")
class WALSMatrixFactorization(Estimator):
    """Finds factors of rows and columns whose products approximate a matrix, by weighted ALS.

    The input of training are "input_rows", a SparseTensor with some whole rows of the matrix, and
    "input_cols", one with some whole columns as its rows. Evaluation and prediction need
    "project_row" as well, a boolean scalar that says which of them counts; "projection_weights"
    are the weights of what is predicted.

    Args:
        num_rows: the number of rows.
        num_cols: the number of columns.
        embedding_dimension: the length of a factor.
        unobserved_weight: the weight of elements that are not in the input.
        regularization_coeff: the weight of the squares of factors; None for none.
        row_init: "random" or the first factors of rows, one array per shard.
        col_init: the same of columns.
        num_row_shards: in how many variables the factors of rows stand.
        num_col_shards: the same of columns.
        row_weights: a number, or one per row, in lists per shard; None, for both, is unweighted.
        col_weights: the same of columns.
        use_factors_weights_cache_for_training: whether factors and weights are cached.
        use_gramian_cache_for_training: whether Gramians are.
        max_sweeps: after how many sweeps over rows or columns training stops; None for no limit.
        model_dir: the folder of checkpoints; or None.
        config: a RunConfig; or None.
    """

    INPUT_ROWS = "input_rows"
    INPUT_COLS = "input_cols"
    PROJECT_ROW = "project_row"
    PROJECTION_WEIGHTS = "projection_weights"
    PROJECTION_RESULT = "projection"
    LOSS = "WALS_loss"
    RWSE = "WALS_RWSE"
    COMPLETED_SWEEPS = "completed_sweeps"

    def __init__(
        self,
        num_rows: int,
        num_cols: int,
        embedding_dimension: int,
        unobserved_weight: float = 0.1,
        regularization_coeff: float | None = None,
        row_init: TensorLike = "random",
        col_init: TensorLike = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: TensorLike | None = 1,
        col_weights: TensorLike | None = 1,
        use_factors_weights_cache_for_training: bool = True,
        use_gramian_cache_for_training: bool = True,
        max_sweeps: int | None = None,
        model_dir: str | None = None,
        config: Any = None,
    ) -> None:
        params = {
            "num_rows": num_rows,
            "num_cols": num_cols,
            "embedding_dimension": embedding_dimension,
            "unobserved_weight": unobserved_weight,
            "regularization_coeff": regularization_coeff,
            "row_init": row_init,
            "col_init": col_init,
            "num_row_shards": num_row_shards,
            "num_col_shards": num_col_shards,
            "row_weights": row_weights,
            "col_weights": col_weights,
            "max_sweeps": max_sweeps,
            "use_factors_weights_cache_for_training": use_factors_weights_cache_for_training,
            "use_gramian_cache_for_training": use_gramian_cache_for_training,
        }
        self._shards = {"row": num_row_shards, "col": num_col_shards}
        super().__init__(model_fn=_wals_model_fn, params=params, model_dir=model_dir, config=config)

    def get_row_factors(self) -> list[Array]:
        """Returns the factors of rows, an array ``[rows, embedding_dimension]`` per shard."""
        return self._factors("row")

    def get_col_factors(self) -> list[Array]:
        """Returns the factors of columns, an array ``[columns, embedding_dimension]`` per shard."""
        return self._factors("col")

    def _factors(self, axis: str) -> list[Array]:
        names = [f"{axis}_factors_shard_{index}" for index in range(self._shards[axis])]
        return [self.get_variable_value(name) for name in names]

    def get_projections(self, input_fn: Any) -> Iterator[Array]:
        """Computes the best factors of rows or columns, which need not be those of the matrix.

        Args:
            input_fn: a function that returns features.

        Yields:
            The factor of each of them.
        """
        for prediction in self.predict(input_fn=input_fn):
            yield prediction[self.PROJECTION_RESULT]


def _wals_model_fn(features: Any, labels: Any, mode: str, params: Mapping[str, Any]) -> ModelFnOps:
    assert labels is None
    is_training = mode == ModeKeys.TRAIN
    model = WALSModel(
        params["num_rows"],
        params["num_cols"],
        params["embedding_dimension"],
        unobserved_weight=params["unobserved_weight"],
        regularization=params["regularization_coeff"],
        row_init=params["row_init"],
        col_init=params["col_init"],
        num_row_shards=params["num_row_shards"],
        num_col_shards=params["num_col_shards"],
        row_weights=params["row_weights"],
        col_weights=params["col_weights"],
        use_factors_weights_cache=params["use_factors_weights_cache_for_training"] and is_training,
        use_gramian_cache=params["use_gramian_cache_for_training"] and is_training,
    )
    if is_training:
        return _training(model, features, params)
    names = WALSMatrixFactorization
    rows, columns = features[names.INPUT_ROWS], features[names.INPUT_COLS]
    if mode == ModeKeys.EVAL:

        def loss_of(result: tuple[Any, ...]) -> Any:
            return result[2] + result[3]

        loss = cond(
            features[names.PROJECT_ROW],
            lambda: loss_of(model.update_row_factors(sp_input=rows, transpose_input=False)),
            lambda: loss_of(model.update_col_factors(sp_input=columns, transpose_input=True)),
        )
        return ModelFnOps(mode=mode, predictions={}, loss=loss, eval_metric_ops={})
    weights = features.get(names.PROJECTION_WEIGHTS)
    projection = cond(
        features[names.PROJECT_ROW],
        lambda: model.project_row_factors(
            sp_input=rows, projection_weights=weights, transpose_input=False
        ),
        lambda: model.project_col_factors(
            sp_input=columns, projection_weights=weights, transpose_input=True
        ),
    )
    return ModelFnOps(mode=mode, predictions={names.PROJECTION_RESULT: projection})


def _training(model: WALSModel, features: Any, params: Mapping[str, Any]) -> ModelFnOps:
    names = WALSMatrixFactorization
    is_row_sweep = _variable(True, "is_row_sweep")
    is_sweep_done = _variable(False, "is_sweep_done")
    completed_sweeps = _variable(0, names.COMPLETED_SWEEPS)
    loss, rwse = _variable(0.0, names.LOSS), _variable(0.0, names.RWSE)
    scalar("loss", loss)
    scalar("root_weighted_squared_error", rwse)
    scalar("completed_sweeps", completed_sweeps)

    def axis_ops(update: tuple[Any, ...], given: Any, count: int, axis: str) -> tuple[Any, Any]:
        """The op that forgets which items are done, and the op of a step."""
        none_done = fill([count], False)
        with colocate_with(none_done):
            processed = _variable(none_done, f"processed_{axis}")
        reset = assign(processed, none_done, name=f"processed_{axis}_reset")
        _, update_op, new_loss, regularization, sum_of_weights = update
        items = given.indices[:, 0]
        after = [
            update_op,
            assign(loss, new_loss + regularization),
            assign(rwse, sqrt(new_loss / sum_of_weights)),
        ]
        with control_dependencies(after), colocate_with(processed):
            done = scatter_update(
                processed, items, ones_like(items, dtype=dtypes.bool_), name=f"update_{axis}"
            )
        with control_dependencies([done.op]):
            is_done = reduce_all(build.Identity(done))
        step = group(
            assign(is_sweep_done, is_done),
            assign_add(completed_sweeps, cast(is_done, dtypes.int32)),
            assign_add(get_global_step(), 1),
            name=f"{axis}_sweep_op",
        )
        return reset, step

    rows, columns = features[names.INPUT_ROWS], features[names.INPUT_COLS]
    row_update = model.update_row_factors(sp_input=rows, transpose_input=False)
    row_reset, row_step = axis_ops(row_update, rows, params["num_rows"], "rows")
    col_update = model.update_col_factors(sp_input=columns, transpose_input=True)
    col_reset, col_step = axis_ops(col_update, columns, params["num_cols"], "cols")
    switch_op = group(
        assign(is_row_sweep, logical_not(is_row_sweep)), row_reset, col_reset, name="sweep_switch"
    )
    hooks: list[SessionRunHook] = [
        _SweepHook(
            is_row_sweep,
            is_sweep_done,
            model.worker_init,
            [
                [model.col_update_prep_gramian_op, model.initialize_col_update_op],
                [model.row_update_prep_gramian_op, model.initialize_row_update_op],
            ],
            [col_step, row_step],
            switch_op,
        )
    ]
    if params["max_sweeps"] is not None:
        hooks.append(_StopAtSweepHook(completed_sweeps, params["max_sweeps"]))
    # The hook runs the ops that train.
    return ModelFnOps(
        mode=ModeKeys.TRAIN,
        predictions={},
        loss=loss,
        eval_metric_ops={},
        train_op=no_op(),
        training_hooks=hooks,
    )


def _variable(initial_value: Any, name: str) -> Any:
    return Variable(
        initial_value, trainable=False, name=name, collections=[GraphKeys.GLOBAL_VARIABLES]
    )
