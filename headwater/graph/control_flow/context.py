"""What branches and loops have in common while they are being built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import nest
from headwater.graph.control_flow.util import output_context
from headwater.graph.default_graph import get_default_graph
from headwater.graph.operation import Operation, Tensor

# Functions that turn contexts into protos and back, by their names; the module that has them stands
# above the contexts and registers them here.
proto_functions: dict[str, Callable[..., Any]] = {}


class ControlFlowContext:
    """A branch or a loop. Its methods have TensorFlow's names because libraries call them.

    ``_values`` has the names of the tensors that are known inside. Those that come from outside
    are known inside under another tensor, which ``_external_values`` has by the outer name.

    Args:
        values_def: a ValuesDef proto to take both from.
        import_scope: the name scope in which the nodes of the proto are now.
    """

    def __init__(self, values_def: Any = None, import_scope: str | None = None) -> None:
        self._name = ""
        self._nested_contexts: list[ControlFlowContext] = []
        self._outer_context: Any = get_default_graph()._get_control_flow_context()
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)
        self._context_stack: list[ControlFlowContext | None] = []
        self._values: set[str] = set()
        self._external_values: dict[str, Tensor] = {}
        if values_def is not None:
            proto_functions["set_values"](self, values_def, import_scope)

    @property
    def name(self) -> str:
        """The unique name of this context."""
        return self._name

    @property
    def outer_context(self) -> Any:
        """The context in which this one stands, or None."""
        return self._outer_context

    @property
    def grad_state(self) -> Any:
        """The state of the gradient that this context is part of, or None."""
        raise NotImplementedError("Abstract method")

    @property
    def back_prop(self) -> bool:
        """Whether gradients go through this context."""
        raise NotImplementedError("Abstract method")

    def IsWhileContext(self) -> bool:
        """Whether this is a loop."""
        return False

    def IsCondContext(self) -> bool:
        """Whether this is a branch."""
        return False

    def IsXLAContext(self) -> bool:
        """Whether this is a part of the graph that was marked for compilation."""
        return False

    def GetWhileContext(self) -> Any:
        """The innermost loop around this context, itself counted, or None."""
        return None if self._outer_context is None else self._outer_context.GetWhileContext()

    def GetControlPivot(self) -> Tensor | None:
        """The tensor on which ops without inputs must depend, or None."""
        return None

    # Entering and leaving

    def Enter(self) -> None:
        """Makes this the context of the ops that are made from now on."""
        graph = get_default_graph()
        self._context_stack.append(graph._get_control_flow_context())
        graph._set_control_flow_context(self)

    def Exit(self) -> None:
        """Makes the context that was left by `Enter` the current one again."""
        get_default_graph()._set_control_flow_context(self._context_stack.pop())

    def EnterGradientColocation(self, op: Operation, gradient_uid: str) -> None:
        """Called when the gradient nodes of an op begin."""
        if self._outer_context is not None:
            self._outer_context.EnterGradientColocation(op, gradient_uid)

    def ExitGradientColocation(self, op: Operation, gradient_uid: str) -> None:
        """Called when the gradient nodes of an op end."""
        if self._outer_context is not None:
            self._outer_context.ExitGradientColocation(op, gradient_uid)

    def ExitResult(self, result: Any) -> None:
        """Makes the results of this context known in the one around it."""
        if self._outer_context is not None:
            for tensor in nest.flatten(result, expand_composites=True):
                self._outer_context.AddName(tensor.name)

    # Ops and values

    def AddName(self, name: str) -> None:
        """Makes a tensor known here by its name."""
        self._values.add(name)

    def AddValue(self, val: Tensor) -> Tensor:
        """The tensor under which a value is known here; brings the value in if necessary."""
        raise NotImplementedError("Abstract method")

    def AddOp(self, op: Operation) -> None:
        """Called for each new op in this context; brings its inputs in."""
        raise NotImplementedError("Abstract method")

    def AddInnerOp(self, op: Operation) -> None:
        """Called for each new op in a context inside of this one."""
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _RemoveExternalControlEdges(self, op: Operation) -> tuple[list[Operation], list[Operation]]:
        """Drops the control inputs from outside of the loop.

        Returns:
            The control inputs that stay, and those that have been dropped.
        """
        loop = self.GetWhileContext()
        if loop is None:
            return op._control_inputs, []
        internal: list[Operation] = []
        external: list[Operation] = []
        for source in op._control_inputs:
            context = output_context(source)
            inside = context is not None and context.GetWhileContext() is loop
            (internal if inside else external).append(source)
        if external:
            op._remove_all_control_inputs()
            op._add_control_inputs(internal)
        return internal, external

    def _remember(self, op: Operation) -> None:
        """Makes the outputs of an op known here."""
        self._values.update(tensor.name for tensor in op._outputs)

    # Protos

    def to_control_flow_context_def(self, context_def: Any, export_scope: Any = None) -> None:
        """Writes this context into a ControlFlowContextDef."""
        raise NotImplementedError("Abstract method")

    def _to_values_def(self, export_scope: str | None = None) -> Any:
        return proto_functions["values_def"](self, export_scope)

    # The names of earlier releases.
    _to_proto = _to_values_def

    @classmethod
    def _from_proto(cls, values_def: Any, import_scope: str | None = None) -> ControlFlowContext:
        return ControlFlowContext(values_def, import_scope)


class XLAControlFlowContext(ControlFlowContext):
    """A part of the graph that is marked for compilation; values enter it as they are."""

    def __init__(self) -> None:
        super().__init__()
        self._name = "XLAControlFlowContext"

    @property
    def grad_state(self) -> Any:
        """No gradient has a context of this kind."""
        return None

    @property
    def back_prop(self) -> bool:
        """Gradients go through, as through plain ops."""
        return False

    def IsXLAContext(self) -> bool:
        """Always true."""
        return True

    def AddOp(self, op: Operation) -> None:
        """Nothing has to be done for an op."""

    def AddValue(self, val: Tensor) -> Tensor:
        """The value itself."""
        return val

    def to_control_flow_context_def(self, context_def: Any, export_scope: Any = None) -> None:
        """Contexts of this kind are not exported."""
