"""Builds and runs the cases of the grid in a real TensorFlow or in Headwater.

A case is built three times: from constants, from placeholders with unknown dimensions, and from
placeholders of unknown rank. The outcome is a dictionary: "shapes" has the static shapes of the
three forms, "values" the outputs of the first, or "error" the class and first line of what it
raises, when the graph is made or when it runs. If it cannot be made, another form runs, and what
that raises is "later".
"""

import re

import numpy as np

import cases as grid

FORMS = ("constant", "dimensions", "rank")


class Builder:
    """Makes the nodes of cases in one graph.

    Args:
        tf: the module of TensorFlow or Headwater.
        make: function (op type, inputs, attrs) -> Operation, which makes one node.
    """

    def __init__(self, tf, make):
        self.tf = tf
        self.make = make

    def build(self, case, form):
        """The Built node of a case, or raises what the graph raises."""
        return Built(self, case, form)


class Built:
    def __init__(self, builder, case, form):
        self.tf = tf = builder.tf
        self.make = builder.make
        self.form = form
        Built.count += 1
        self.number = Built.count
        self.feeds = {}
        self.variables = []
        self.initializers = []
        self.made = {}
        self.setup = []
        for call in case.setup:
            self.setup.append(self._op(call))
        before = [self._op(call) for call in case.before]
        inputs = [self._input(v) for v in case.inputs]
        with tf.control_dependencies(before):
            self.op = self.make(case.op, inputs, self._attrs(case.op, case.attrs))
        self.made[case] = self.op
        if case.gradient:
            self.fetches = self._gradients(inputs, case.hidden)
            self.shapes = [shape_of(t) for t in self.fetches]
            return
        self.fetches = [
            self._fetched(t)
            for i, t in enumerate(self.op.outputs)
            if i not in case.hidden and t.dtype.base_dtype.name not in ("resource", "variant")
        ]
        with tf.control_dependencies([self.op]):
            for call in case.after:
                self.fetches += [self._fetched(t) for t in self._op(call).outputs]
            for source, tensor in self.variables:
                self.fetches.append(self._fetched(self._read(source, tensor)))
        self.shapes = [shape_of(t) for t in self.op.outputs]

    def _gradients(self, inputs, hidden):
        """Tensors with the gradients of the outputs for the inputs; b"none" where there is none."""
        flat = [t for x in inputs for t in (x if isinstance(x, list) else [x])]
        sources = [t for t in flat if is_continuous(t)]
        outputs = [t for t in self.op.outputs if is_continuous(t)]
        seeds = []
        for i, tensor in enumerate(outputs):
            shape = shape_of(tensor)
            if shape is None or None in shape:
                seeds.append(None)
                continue
            dtype = tensor.dtype.base_dtype.name
            seed = grid.numbers(self.op.type, *shape, dtype=dtype, seed=77 + i)
            seeds.append(self.tf.constant(seed, tensor.dtype.base_dtype))
        results = []
        for i, gradient in enumerate(self.tf.gradients(outputs, sources, seeds)):
            if i in hidden:
                continue
            if gradient is None:
                results.append(self.tf.constant(b"none"))
            elif hasattr(gradient, "indices"):
                results += [gradient.values, gradient.indices]
            else:
                results.append(gradient)
        return results

    def _read(self, source, tensor):
        if isinstance(source, grid.Var):
            dtype = self.tf.as_dtype(source.dtype_name)
            return self.make("ReadVariableOp", [tensor], {"dtype": dtype}).outputs[0]
        return self.make("Identity", [tensor], {}).outputs[0]

    def _fetched(self, tensor):
        """The tensor, or its bits if NumPy has no such type."""
        name = tensor.dtype.base_dtype.name
        bits = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16"}
        bits.update({"qint32": "int32", "bfloat16": "uint16"})
        if name in bits:
            attrs = {"type": self.tf.as_dtype(bits[name])}
            return self.make("Bitcast", [tensor], attrs).outputs[0]
        return tensor

    def _op(self, call):
        if call not in self.made:
            inputs = [self._input(v) for v in call.inputs]
            self.made[call] = self.make(call.op, inputs, self._attrs(call.op, call.attrs))
        return self.made[call]

    def _attrs(self, op, attrs):
        kinds = {a["name"]: a["type"] for a in grid.opdefs()[op]["attrs"]}
        return {k: self._named(k, self._attr(kinds.get(k, ""), v)) for k, v in attrs.items()}

    def _named(self, name, value):
        """Makes the names of session state unique to each built case."""
        if name in ("shared_name", "var_name", "stack_name") and value:
            return "%s_%d" % (value, self.number)
        return value

    def _attr(self, kind, value):
        if kind == "type":
            return self.tf.as_dtype(value)
        if kind == "list(type)":
            return [self.tf.as_dtype(v) for v in value]
        if kind == "shape":
            return self.tf.TensorShape(value)
        if kind == "list(shape)":
            return [self.tf.TensorShape(v) for v in value]
        if kind == "tensor":
            return self.tf.make_tensor_proto(value)
        return value

    def _input(self, value):
        if isinstance(value, list):
            return [self._input(v) for v in value]
        if isinstance(value, grid.Call):
            return self._op(value).outputs[0]
        if isinstance(value, grid.Output):
            return self._op(value.call).outputs[value.index]
        if isinstance(value, grid.Ref):
            if value not in self.made:
                self.made[value] = self._variable(value)
            return self.made[value]
        if isinstance(value, grid.Cast):
            attrs = {"type": self.tf.as_dtype(value.dtype_name)}
            return self.make("Bitcast", [self._array(value.bits)], attrs).outputs[0]
        return self._array(np.asarray(value))

    def _array(self, array):
        dtype = self.tf.as_dtype(grid.dtype_name(array))
        if self.form == "constant":
            return self.tf.constant(array, dtype)
        shape = [None] * array.ndim if self.form == "dimensions" else None
        if self.form == "fed":
            shape = array.shape
        tensor = self.tf.placeholder(dtype, shape)
        self.feeds[tensor] = array
        return tensor

    def _variable(self, source):
        dtype = self.tf.as_dtype(source.dtype_name)
        shape = {
            "constant": source.shape,
            "fed": source.shape,
            "dimensions": [None] * len(source.shape),
            "rank": None,
        }
        shape = self.tf.TensorShape(shape[self.form])
        attrs = {"shape": shape, "dtype": dtype, "container": ""}
        attrs["shared_name"] = "variable_%d_%d" % (self.number, len(self.made))
        value = None if source.value is None else self.tf.constant(source.value, dtype)
        if isinstance(source, grid.Var):
            tensor = self.make("VarHandleOp", [], attrs).outputs[0]
            if value is not None:
                op = self.make("AssignVariableOp", [tensor, value], {})
                self.initializers.append(op)
        else:
            tensor = self.make("VariableV2", [], attrs).outputs[0]
            if value is not None:
                more = {"validate_shape": False, "use_locking": True}
                self.initializers.append(self.make("Assign", [tensor, value], more))
        if value is not None:
            self.variables.append((source, tensor))
        return tensor

    count = 0

    def prepare(self, session):
        """Initializes the variables and runs the calls that come before."""
        if self.initializers:
            session.run(self.initializers)
        for op in self.setup:
            session.run(op, self.feeds)

    def run(self, session):
        """The values of all outputs."""
        self.prepare(session)
        if not self.fetches:
            session.run(self.op, self.feeds)
            return []
        return [np.asarray(v) for v in session.run(self.fetches + [self.op], self.feeds)[:-1]]


def is_continuous(tensor):
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_complex


def forms_of(case):
    return (case.gradient,) if case.gradient else FORMS


def shape_of(tensor):
    """A static shape as a list, None where it is unknown."""
    shape = tensor.get_shape()
    return None if shape.ndims is None else shape.as_list()


def error_of(error):
    """The class and the first line of an exception, without names of nodes."""
    text = getattr(error, "message", None) or str(error)
    line = (text.strip().splitlines() or [""])[0]
    line = re.sub(r"\{\{node [^}]*\}\}", "", line).strip()
    return [type(error).__name__, line[:160]]
