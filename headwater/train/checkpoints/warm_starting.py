"""Warm starting: initializing variables from the checkpoint of an earlier training run."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Sequence
from typing import Any

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.base.typing import InitializerLike, NestedTensors, TensorLike
from headwater.graph import get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.partitions import PartitionInfo
from headwater.model.variables.variable import Variable
from headwater.ops.state.assign import assign
from headwater.train.checkpoints.checkpoint_reader import checkpoint_file
from headwater.train.checkpoints.checkpoint_values import init_from_checkpoint
from headwater.train.checkpoints.object_graphs import names_to_keys
from headwater.train.checkpoints.remapped_matrix import load_and_remap_matrix_initializer

_VocabInfo = namedtuple(
    "_VocabInfo",
    "new_vocab new_vocab_size num_oov_buckets old_vocab old_vocab_size backup_initializer axis",
)


@export("train.VocabInfo", "estimator.VocabInfo")
class VocabInfo(_VocabInfo):
    """The vocabularies of a variable before and now.

    Args:
        new_vocab: a file with the new words.
        new_vocab_size: how many there are.
        num_oov_buckets: buckets for other words.
        old_vocab: a file with the old words.
        old_vocab_size: how many lines of it count; -1 for all.
        backup_initializer: the values of words that are new; zeros by default.
        axis: 0 if words are rows, 1 if they are columns.

    Raises:
        ValueError: if `axis` is neither 0 nor 1.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: str,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: str,
        old_vocab_size: int = -1,
        backup_initializer: InitializerLike | None = None,
        axis: int = 0,
    ) -> VocabInfo:
        _check_axis(axis)
        return super().__new__(
            cls,
            new_vocab,
            new_vocab_size,
            num_oov_buckets,
            old_vocab,
            old_vocab_size,
            backup_initializer,
            axis,
        )


def _check_axis(axis: int) -> None:
    """Raises a ValueError if words are neither rows nor columns."""
    if axis not in (0, 1):
        raise ValueError(
            f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}"
        )


@export("train.warm_start")
def warm_start(
    ckpt_to_initialize_from: str,
    vars_to_warm_start: Sequence[TensorLike] | None = ".*",
    var_name_to_vocab_info: dict[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: dict[str, str] | None = None,
) -> None:
    """Makes the initializers of variables read their values from a checkpoint.

    Args:
        ckpt_to_initialize_from: the path of the checkpoint, or of a folder for its latest one.
        vars_to_warm_start: a regular expression for trainable variables, a list of such for all
            variables, a list of variables, or None for those with vocabularies only.
        var_name_to_vocab_info: the vocabularies of variables by name.
        var_name_to_prev_var_name: the names of variables in the checkpoint, where they differ.

    Raises:
        ValueError: if a name is of no variable that is started, or is not in the checkpoint.
    """
    vocabularies = dict(var_name_to_vocab_info or {})
    old_names = dict(var_name_to_prev_var_name or {})
    logging.info("Warm-starting from: %s", ckpt_to_initialize_from)
    grouped = grouped_variables(vars_to_warm_start)
    if not old_names:
        old_names = _names_in_object_checkpoint(ckpt_to_initialize_from, grouped)
    used_names, used_vocabularies = set(), set()
    plain: dict[str, Any] = {}
    for name, variable in grouped.items():
        old_name = old_names.get(name)
        if old_name is not None:
            used_names.add(name)
        info = vocabularies.get(name)
        if info is None:
            if vars_to_warm_start is not None:
                old_name, variable = variable_info(variable, old_name)
                plain[old_name] = variable
            continue
        used_vocabularies.add(name)
        by_row = info.axis == 0
        warm_start_with_vocabulary(
            variable,
            info.new_vocab,
            info.new_vocab_size,
            ckpt_to_initialize_from,
            info.old_vocab,
            info.old_vocab_size,
            info.num_oov_buckets,
            old_name,
            info.backup_initializer,
            info.axis,
        )
        logging.debug("Warm-started %s by %s", name, "rows" if by_row else "columns")
    if plain:
        init_from_checkpoint(ckpt_to_initialize_from, plain)
    for argument, given, used in (
        ("var_name_to_prev_var_name", old_names, used_names),
        ("var_name_to_vocab_info", vocabularies, used_vocabularies),
    ):
        unused = set(given) - used
        if unused:
            raise ValueError(
                f"You provided the following variables in {argument} that were not used: "
                f"{unused}.  Perhaps you misspelled them?  Here is the list of viable variable "
                f"names: {grouped.keys()}"
            )


def _names_in_object_checkpoint(checkpoint: str, names: Iterable[str]) -> dict[str, str]:
    """The keys of variables in a checkpoint of objects; none for one of variables by name.

    Raises:
        ValueError: if the checkpoint is one of objects and lacks a variable.
    """
    try:
        keys = names_to_keys(checkpoint_file(checkpoint))
    except errors.NotFoundError:
        return {}
    missing = set(names) - set(keys)
    if missing:
        raise ValueError(
            "Attempting to warm-start from an object-based checkpoint, but found that the "
            "checkpoint did not contain values for all variables. The following variables were "
            f"missing: {missing}"
        )
    return {name: keys[name] for name in names}


def grouped_variables(vars_to_warm_start: Sequence[TensorLike] | None) -> dict[str, list[Any]]:
    """The variables to warm-start by name; the parts of a partitioned variable are one entry."""
    graph = get_default_graph()
    variables: list[Any]
    if isinstance(vars_to_warm_start, str) or vars_to_warm_start is None:
        variables = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=vars_to_warm_start)
    elif isinstance(vars_to_warm_start, list):
        if all(isinstance(item, str) for item in vars_to_warm_start):
            variables = []
            for pattern in vars_to_warm_start:
                variables += graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=pattern)
        elif all(isinstance(item, (Variable, PartitionedVariable)) for item in vars_to_warm_start):
            variables = []
            for item in vars_to_warm_start:
                variables += list(item) if isinstance(item, PartitionedVariable) else [item]
        else:
            raise ValueError(
                "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  "
                f"Given types are {[type(item) for item in vars_to_warm_start]}"
            )
    else:
        raise ValueError(
            "`vars_to_warm_start must be a `list` or `str`.  Given type is "
            f"{type(vars_to_warm_start)}"
        )
    grouped: dict[str, list[Any]] = {}
    for variable in variables:
        grouped.setdefault(infer_name([variable]), []).append(variable)
    return grouped


def infer_name(variable: NestedTensors) -> str:
    """The name of a variable, or of the partitioned variable that parts belong to."""
    parts = list(variable) if isinstance(variable, (list, tuple, PartitionedVariable)) else None
    first = variable if parts is None else parts[0]
    info = first._get_save_slice_info()
    return first.op.name if info is None else info.full_name


def variable_info(
    variable: Sequence[Variable], prev_tensor_name: str | None = None
) -> tuple[str, Any]:
    """The name that a variable has in a checkpoint, and the variable: alone or a list of parts.

    Raises:
        TypeError: if it is not a variable.
    """
    if isinstance(variable, PartitionedVariable):
        variable = list(variable)
    elif not isinstance(variable, Variable) and not (
        isinstance(variable, list) and all(isinstance(part, Variable) for part in variable)
    ):
        raise TypeError(
            "var MUST be one of the following: a Variable, list of Variable or "
            f"PartitionedVariable, but is {type(variable)}"
        )
    if isinstance(variable, list) and len(variable) == 1:
        (variable,) = variable
    return prev_tensor_name or infer_name(variable), variable


def warm_start_with_vocabulary(
    var: Sequence[Variable],
    current_vocab_path: str,
    current_vocab_size: int | None,
    prev_ckpt: str,
    prev_vocab_path: str,
    previous_vocab_size: int = -1,
    current_oov_buckets: int = 0,
    prev_tensor_name: str | None = None,
    initializer: InitializerLike | None = None,
    axis: int = 0,
) -> None:
    """Makes the initializer of a variable load it, row by row or column by column, by words.

    Args:
        var: a variable, a list of its parts, or a partitioned variable.
        current_vocab_path: a file with the new words.
        current_vocab_size: how many there are.
        prev_ckpt: the path of the checkpoint, or of a folder for its latest one.
        prev_vocab_path: a file with the old words.
        previous_vocab_size: how many lines of it count; -1 for all.
        current_oov_buckets: buckets for other words.
        prev_tensor_name: the name in the checkpoint, if it is another one.
        initializer: the values of words that are new; zeros by default.
        axis: 0 if words are rows, 1 if they are columns.

    Raises:
        ValueError: if a needed argument is missing, or `axis` is neither 0 nor 1.
        TypeError: if `var` is not a variable.
    """
    if not (current_vocab_path and current_vocab_size and prev_ckpt and prev_vocab_path):
        raise ValueError(
            "Invalid args: Must provide all of [current_vocab_path, current_vocab_size, "
            "prev_ckpt, prev_vocab_path}."
        )
    _check_axis(axis)
    name, found = variable_info(var, prev_tensor_name)
    path = checkpoint_file(prev_ckpt)
    for part in found if isinstance(found, list) else [found]:
        shape = part.get_shape().as_list()
        info = part._get_save_slice_info()
        place = None
        full_shape = shape
        if info is not None:
            full_shape = info.full_shape
            place = PartitionInfo(full_shape=info.full_shape, var_offset=info.var_offset)
        by_row = axis == 0
        make = load_and_remap_matrix_initializer(
            path,
            name,
            new_row_vocab_size=current_vocab_size if by_row else full_shape[0],
            new_col_vocab_size=shape[1] if by_row else current_vocab_size,
            old_row_vocab_size=previous_vocab_size if by_row else -1,
            old_row_vocab_file=prev_vocab_path if by_row else None,
            new_row_vocab_file=current_vocab_path if by_row else None,
            old_col_vocab_file=None if by_row else prev_vocab_path,
            new_col_vocab_file=None if by_row else current_vocab_path,
            num_row_oov_buckets=current_oov_buckets if by_row else 0,
            num_col_oov_buckets=0 if by_row else current_oov_buckets,
            initializer=initializer,
        )
        part._initializer_op = assign(part, make(shape, partition_info=place))
