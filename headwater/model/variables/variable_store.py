"""The variables that `get_variable` has made in a graph, by name, and the rules of sharing them."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export_value
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import (
    Array,
    DeviceLike,
    DTypeLike,
    InitializerLike,
    NestedTensors,
    ShapeLike,
    TensorLike,
)
from headwater.graph import (
    build,
    colocate_with,
    convert_to_tensor,
    get_default_graph,
    name_scope,
)
from headwater.graph import traceback as graph_traceback
from headwater.graph.default_graph import add_to_collection
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.initializers import Initializer, Zeros
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.partitions import (
    PartitionInfo,
    checked_partitions,
    slice_axis,
    slices,
)
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_creation import (
    VariableAggregation,
    VariableSynchronization,
    create_variable,
)


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
export_value("AUTO_REUSE", AUTO_REUSE)

# Whether variables are looked up, made, or either (`AUTO_REUSE`); None: as the scope above says.
Reuse: TypeAlias = bool | _ReuseMode | None

# Where a graph keeps its store.
STORE_KEY = ("__variable_store",)


def variable_store() -> VariableStore:
    """The store of the default graph."""
    found = get_default_graph().get_collection_ref(STORE_KEY)
    if not found:
        found.append(VariableStore())
    return found[0]


class VariableStore:
    """Variables by full name, and partitioned variables by the name of the whole."""

    # Whether it belongs to an EagerVariableStore.
    _store_eager_variables = False

    def __init__(self) -> None:
        self._vars: dict[str, Any] = {}
        self._partitioned_vars: dict[str, PartitionedVariable] = {}

    def get_variable(
        self,
        name: str,
        shape: ShapeLike = None,
        dtype: DTypeLike = "float32",
        initializer: InitializerLike | None = None,
        regularizer: Callable[..., Any] | None = None,
        reuse: Reuse = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        caching_device: DeviceLike | None = None,
        partitioner: Callable[..., Any] | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Callable[..., Any] | None = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> NestedTensors:
        """The variable of this name, made if that is allowed; see `tf.get_variable`.

        Args:
            name: the full name.
            reuse: True only finds, False only makes, AUTO_REUSE or None does either.
            shape: as in `tf.get_variable`, like all others.

        Returns:
            A Variable, a PartitionedVariable, or what the custom getter returns.

        Raises:
            ValueError: if the variable exists and must not, or does not and must, or differs.
        """
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        arguments = {
            "shape": shape,
            "dtype": as_dtype(dtype).base_dtype,
            "initializer": initializer,
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": _resolved_trainable(trainable, synchronization),
            "collections": collections,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "constraint": constraint,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        if custom_getter is None:
            return self._true_getter(name, **arguments)
        return custom_getter(
            getter=self._true_getter, name=name, **accepted(custom_getter, arguments)
        )

    def _true_getter(
        self,
        name: str,
        shape: ShapeLike = None,
        dtype: DTypeLike = "float32",
        initializer: InitializerLike | None = None,
        regularizer: Callable[..., Any] | None = None,
        reuse: Reuse = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: DeviceLike | None = None,
        partitioner: Callable[..., Any] | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> NestedTensors:
        scalar = isinstance(shape, Sequence) and not shape
        reuse = AUTO_REUSE if reuse is None else reuse
        options = {
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "constraint": constraint,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        if partitioner is not None and not scalar:
            if not callable(partitioner):
                raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
            with name_scope(None):
                return self._partitioned(name, partitioner, shape, dtype, initializer, **options)
        if reuse is True and partitioner is None and name in self._partitioned_vars:
            return self._partitioned(name, None, shape, dtype, initializer, **options)
        if f"{name}/part_0" in self._vars:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was "
                f"found: {name}/part_0. Perhaps a variable of the same name was already created "
                "with partitioning?"
            )
        return self._single(name, shape, dtype, initializer, None, **options)

    # Single variables

    def _single(
        self,
        name: str,
        shape: ShapeLike | None,
        dtype: DTypeLike,
        initializer: InitializerLike | None,
        partition_info: PartitionInfo | None,
        *,
        regularizer: Callable[..., Any] | None,
        reuse: Reuse,
        **options: Any,
    ) -> Any:
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = as_dtype(dtype)
        shape = TensorShape(shape)
        if name in self._vars:
            return self._shared(name, shape, dtype, reuse)
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did "
                "you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            initializer = default_initializer(name, dtype)
        variable_dtype: DType | None = None
        # Variables are made outside of the current control dependencies.
        with get_default_graph().control_dependencies(None):
            value = initializer
            if not from_value:
                value, variable_dtype = _initial_function(initializer, shape, dtype, partition_info)
        variable = create_variable(
            initial_value=value, name=name, dtype=variable_dtype, variable_def=None,
            expected_shape=None, import_scope=None, shape=None, **options,
        )  # fmt: skip
        self._vars[name] = variable
        if regularizer:
            _add_regularization(variable, name, regularizer)
        return variable

    def _shared(self, name: str, shape: TensorShape, dtype: DType, reuse: Reuse) -> Variable:
        found = self._vars[name]
        if not reuse:
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                f"reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n{_origin(found)}"
            )
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape "
                f"{found.get_shape()}."
            )
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} and found "
                f"dtype {found.dtype.name}."
            )
        return found

    # Partitioned variables

    def _partitioned(
        self,
        name: str,
        partitioner: Callable[..., Any] | None,
        shape: ShapeLike,
        dtype: DTypeLike,
        initializer: TensorLike,
        *,
        reuse: Reuse,
        **options: Any,
    ) -> PartitionedVariable:
        if name in self._vars:
            raise ValueError(
                "A partitioner was provided, but an unpartitioned version of the variable was "
                f"found: {name}.  Perhaps a variable of the same name was already created without "
                "partitioning?"
            )
        shape = TensorShape(shape)
        if initializer is not None and not callable(initializer):
            shape = shape.merge_with(convert_to_tensor(initializer).get_shape())
        partitions = None
        if not reuse or partitioner:
            partitions = checked_partitions(partitioner, shape, dtype)
        if name in self._partitioned_vars:
            return self._shared_parts(name, shape, dtype, partitions, reuse)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
        assert partitions is not None
        axis = slice_axis(shape, partitions)
        self._check_parts(name, partitions[axis])
        parts = []
        for i, (offset, part_shape) in enumerate(slices(shape.as_list(), axis, partitions[axis])):
            info = PartitionInfo(shape.as_list(), offset)
            part_name = f"{name}/part_{i}"
            with name_scope(part_name + "/PartitionedInitializer"):
                if initializer is None:
                    initializer = default_initializer(name, as_dtype(dtype))
                value: InitializerLike = initializer
                value_shape: Array = part_shape
                if not callable(initializer):
                    with name_scope("Slice") as scope:
                        whole = convert_to_tensor(initializer, None, "input")
                        value = build.Slice(whole, offset, part_shape, name=scope)
                    dtype, value_shape = value.dtype.base_dtype, None
            with name_scope(None):
                part = self._single(
                    part_name, value_shape, dtype, value, info, reuse=reuse, **options
                )
            part._set_save_slice_info(
                Variable.SaveSliceInfo(name, shape.as_list(), offset, part_shape)
            )
            parts.append(part)
        result = PartitionedVariable(name, shape, dtype, parts, list(partitions))
        self._partitioned_vars[name] = result
        return result

    def _shared_parts(
        self,
        name: str,
        shape: TensorShape,
        dtype: DTypeLike,
        partitions: Sequence[int] | None,
        reuse: Reuse,
    ) -> PartitionedVariable:
        if not reuse:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set "
                "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        found = self._partitioned_vars[name]
        start = f"Trying to reuse partitioned variable {name}, but specified"
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(f"{start} shape {shape} and found shape {found.get_shape()}.")
        dtype = as_dtype(dtype)
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(f"{start} dtype {dtype.name} and found dtype {found.dtype.name}.")
        if partitions is not None and found._get_partitions() != list(partitions):
            raise ValueError(
                f"{start} partitions {list(partitions)} and found partitions "
                f"{found._get_partitions()}."
            )
        return found

    def _check_parts(self, name: str, count: int) -> None:
        if f"{name}/part_0" not in self._vars:
            return
        start = (
            "Partitioner returned a different partitioning than what was already found.  "
            f"Partitioner returned {count} shards, and shard {name}/part_0 was found, but "
        )
        if f"{name}/part_{count - 1}" not in self._vars:
            raise ValueError(f"{start}{name}/part_{count - 1} was not.")
        if f"{name}/part_{count}" in self._vars:
            raise ValueError(f"{start}so was the extra shard {name}/part_{count}.")


def default_initializer(name: str, dtype: DType) -> Callable[..., Any]:
    """The initializer of a variable without one: Glorot's for floats, zeros for discrete types.

    Raises:
        ValueError: if there is none for the type.
    """
    if dtype.is_floating:
        return GlorotUniform()
    if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype.name == "string":
        return Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype.base_dtype} is required")


def _initial_function(
    initializer: InitializerLike,
    shape: TensorShape,
    dtype: DType,
    partition_info: PartitionInfo | None,
) -> tuple[Any, DType | None]:
    """The function that makes the initial value, and the type of the variable if it is given."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape.is_fully_defined():
        extra = {"partition_info": partition_info} if _takes_partition_info(initializer) else {}
        return partial(initializer, shape.as_list(), dtype=dtype, **extra), dtype.base_dtype
    parameters = inspect.signature(initializer).parameters.values()
    if any(p.default is p.empty and p.kind in _NAMED for p in parameters):
        raise ValueError(
            "The initializer passed is not valid. It should be a callable with no arguments and "
            "the shape should not be provided or an instance of `tf.keras.initializers.*' and "
            "`shape` should be fully defined."
        )
    return initializer, None


_NAMED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _takes_partition_info(initializer: Callable[..., Any]) -> bool:
    if isinstance(initializer, Initializer):
        return True
    parameters = inspect.signature(initializer).parameters
    return "partition_info" in parameters or _takes_any(parameters)


def _takes_any(parameters: Any) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def accepted(getter: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments for a custom getter, without the later ones that an older getter lacks."""
    parameters = inspect.signature(getter).parameters
    if _takes_any(parameters):
        return arguments
    later = ("use_resource", "constraint", "synchronization", "aggregation")
    return {k: v for k, v in arguments.items() if k not in later or k in parameters}


def _resolved_trainable(trainable: bool | None, synchronization: VariableSynchronization) -> bool:
    if trainable is None:
        return synchronization is not VariableSynchronization.ON_READ
    return trainable


def _add_regularization(variable: Variable, name: str, regularizer: Callable[..., Any]) -> None:
    graph = get_default_graph()
    with (
        colocate_with(variable),
        name_scope(name + "/Regularizer/"),
        graph.control_dependencies(None),
    ):
        loss = regularizer(variable)
    if loss is not None:
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def _origin(variable: Variable) -> str:
    """The user's frames that made a variable, innermost first."""
    op = variable.op
    frames = graph_traceback.user_lines(op._stack)[:5]
    return "".join(
        f'  File "{file}", line {line}, in {function}\n    {text}\n'
        for file, line, function, text in frames
    )
