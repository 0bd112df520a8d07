"""Gradients of ops without a hand-written one: the VJP of the op's own kernel.

For an op type X one op type ``VjpOfX`` is registered on first use. Its inputs are those of X and
one gradient per output of X; its outputs are the gradients of the floating-point inputs.
"""

from __future__ import annotations

from typing import Any

from headwater.base.dtypes import DType
from headwater.base.lazy import jax, jnp
from headwater.graph.builders import make_node
from headwater.graph.default_graph import get_default_graph
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import OpRecord, is_registered, lookup, register_op


class _Vjp:
    def __repr__(self) -> str:
        return "VJP"


VJP = _Vjp()


def build_vjp(op: Operation, *grads: Any) -> list[Tensor | None]:
    """The gradients of the inputs of `op`, by one node that differentiates its kernel."""
    record = _vjp_record(op._record)
    inputs = [*op._inputs, *(g for g, t in zip(grads, op._outputs) if _flows(t._dtype))]
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


def _vjp_record(record: OpRecord) -> OpRecord:
    name = f"VjpOf{record.name}"
    if is_registered(name):
        return lookup(name)

    def kernel(xp: Any, inputs: list[Any], *, num_inputs: int, **attrs: Any) -> Any:
        raise NotImplementedError

    def shape(c: Any) -> list[Any]:
        sources = c.inputs[: c.attrs["num_inputs"]]
        return [t._shape for t in sources if _flows(t._dtype)]

    vjp = register_op(
        name,
        inputs="inputs: input_types",
        outputs="outputs: output_types",
        attrs="input_types: list(type), output_types: list(type), num_inputs: int",
        shape=shape,
        kernel=kernel,
        heavy=True,
        gradient=VJP,
    )
    vjp.bind = lambda attrs: _bound(record, attrs)  # type: ignore[method-assign]
    return vjp


def _bound(record: OpRecord, attrs: dict[str, Any]) -> Any:
    forward = record.bind({k.removeprefix("op_"): v for k, v in attrs.items() if k.startswith("op_")})
    count = attrs["num_inputs"]
    types = attrs["input_types"]

    def call(xp: Any, inputs: list[Any]) -> Any:
        sources, grads = inputs[:count], inputs[count:]
        active = [i for i in range(count) if _flows(types[i])]

        def of_active(*values: Any) -> list[Any]:
            full = list(sources)
            for i, value in zip(active, values):
                full[i] = value
            results = forward(jnp, full)
            results = results if isinstance(results, (tuple, list)) else [results]
            return [r for r in results if jnp.issubdtype(r.dtype, jnp.inexact)]

        _, pull = jax.vjp(of_active, *(jnp.asarray(sources[i]) for i in active))
        found = list(pull([jnp.asarray(g) for g in grads]))
        return found[0] if len(found) == 1 else tuple(found)

    return call
