"""Gradients of ops without a hand-written one: the VJP of the op's own kernel.

For an op type X one op type ``VjpOfX`` is registered on first use. Its inputs are those of X and
one gradient per output of X; its outputs are the gradients of the floating-point inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.dtypes import DType
from headwater.base.function_runtime import FunctionRuntime
from headwater.base.lazy import jax, jnp
from headwater.base.typing import ArrayModule
from headwater.graph.builders import make_node
from headwater.graph.convert import to_tensor
from headwater.graph.default_graph import get_default_graph
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import VJP, OpRecord, RunsOn, is_registered, lookup, register_op


def build_vjp(op: Operation, *grads: Any) -> list[Tensor | None]:
    """The gradients of the inputs of `op`, by one node that differentiates its kernel."""
    record = _vjp_record(op._record)
    given = [to_tensor(g) for g, t in zip(grads, op._outputs) if _flows(t._dtype)]
    inputs = [*op._inputs, *given]
    graph = get_default_graph()
    attrs = {
        **{f"op_{key}": value for key, value in op._attrs.items() if not key.startswith("_")},
        "input_types": [t._dtype.base_dtype for t in inputs],
        "output_types": [t._dtype.base_dtype for t in op._inputs if _flows(t._dtype)],
        "num_inputs": len(op._inputs),
    }
    node = make_node(graph, record, inputs, attrs, graph.new_name(record.name))
    outputs = iter(node._outputs)
    return [next(outputs) if _flows(t._dtype) else None for t in op._inputs]


def _flows(dtype: DType) -> bool:
    return dtype.is_floating or dtype.is_complex


class VjpRecord(OpRecord):
    """The record of ``VjpOfX``; `source` is the record of X."""

    source: OpRecord

    def concrete_inputs(self, attrs: dict[str, Any]) -> list[int]:
        return self.source.concrete_inputs(_source_attrs(attrs))

    def bind(
        self,
        attrs: dict[str, Any],
        op_name: str = "",
        op: Any = None,
        functions: FunctionRuntime | None = None,
    ) -> Callable[..., Any]:
        forward = self.source.bind(_source_attrs(attrs), op_name, op, functions)
        count = attrs["num_inputs"]
        active = [i for i in range(count) if _flows(attrs["input_types"][i])]

        def call(xp: ArrayModule, inputs: list[Any]) -> Any:
            sources, grads = inputs[:count], inputs[count:]

            def of_active(*values: Any) -> list[Any]:
                full = list(sources)
                for i, value in zip(active, values):
                    full[i] = value
                results = forward(jnp, full)
                results = results if isinstance(results, (tuple, list)) else [results]
                return [r for r in results if jnp.issubdtype(r.dtype, jnp.inexact)]

            _, pull = jax.vjp(of_active, *(jnp.asarray(sources[i]) for i in active))
            # TensorFlow's gradient of a complex tensor is the conjugate of JAX's cotangent.
            found = pull([jnp.conj(jnp.asarray(g)) for g in grads])
            return [jnp.conj(g) for g in found]

        return call


def _source_attrs(attrs: dict[str, Any]) -> dict[str, Any]:
    return {k.removeprefix("op_"): v for k, v in attrs.items() if k.startswith("op_")}


def _vjp_record(record: OpRecord) -> OpRecord:
    name = f"VjpOf{record.name}"
    if is_registered(name):
        return lookup(name)
    vjp = register_op(
        name,
        inputs="inputs: input_types",
        outputs="outputs: output_types",
        attrs="input_types: list(type), output_types: list(type), num_inputs: int",
        shape=_shape,
        kernel=_never_called,
        runs_on=RunsOn.XLA,
        gradient=VJP,
        record_type=VjpRecord,
    )
    assert isinstance(vjp, VjpRecord)
    vjp.source = record
    return vjp


def _shape(c: Any) -> list[Any]:
    sources = c.inputs[: c.attrs["num_inputs"]]
    return [t._shape for t in sources if _flows(t._dtype)]


def _never_called(xp: ArrayModule, inputs: list[Any]) -> Any:
    raise AssertionError("a VjpRecord binds the kernel of its source")
