"""Every op record against its NumPy reference, its static shapes, its gradient and both tiers.

The cases are the samples that stand in the op files.
"""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import headwater as tf
from headwater.graph import NOT_DIFFERENTIABLE, Tensor, build, records
from headwater.graph.registry import RunsOn, gradient_of

RTOL = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-5, "complex64": 2e-5}

# The outputs that have a static shape.
INFERRED = {
    "FusedBatchNormV3": slice(5),
    "SdcaOptimizer": slice(1, None),
    "SdcaOptimizerV2": slice(1, None),
}

CASES = [
    pytest.param(record, sample, id=f"{record.name}-{i}")
    for record in records()
    if record.samples is not None
    for i, sample in enumerate(record.samples())
]


def jit_mode(monkeypatch, mode):
    monkeypatch.setenv("HEADWATER_JIT", mode)


def arrays_of(sample):
    """The inputs as arrays: Python numbers and strings become what a constant would hold."""

    def array(value):
        if isinstance(value, (np.ndarray, np.generic)) and np.asarray(value).dtype.kind != "U":
            return np.asarray(value)
        return tf.make_ndarray(tf.make_tensor_proto(value))

    return [[array(v) for v in x] if isinstance(x, list) else array(x) for x in sample.inputs]


class Case:
    """A node of the op under test, fed through placeholders; variables are initialized first."""

    def __init__(self, record, sample, known="all"):
        self.record = record
        self.feeds = {}
        self.initializers = []
        self.inputs = []
        arrays = arrays_of(sample)
        for arg, value in zip(record.schema.inputs, arrays, strict=True):
            concrete = arg.name in record.concrete
            values = value if isinstance(value, list) else [value]
            source = self._variable if arg.is_ref else self._source
            tensors = [source(v, concrete, known) for v in values]
            self.inputs.append(tensors if isinstance(value, list) else tensors[0])
        result = getattr(build, record.name)(*self.inputs, **sample.attrs)
        self.op = _op_of(result)
        self.outputs = list(self.op.outputs)

    def _source(self, value, concrete, known):
        dtype = tf.as_dtype(value.dtype) if value.dtype != object else tf.string
        if concrete:
            return tf.constant(value, dtype)
        shape = {"all": value.shape, "rank": (None,) * value.ndim, "nothing": None}[known]
        tensor = tf.placeholder(dtype, shape)
        self.feeds[tensor] = value
        return tensor

    def _variable(self, value, concrete, known):
        shape = {"all": value.shape, "rank": (None,) * value.ndim, "nothing": None}[known]
        ref = build.VariableV2(shape=shape, dtype=tf.as_dtype(value.dtype))
        self.initializers.append(build.Assign(ref, value, validate_shape=False))
        return ref

    def run(self, fetches=None):
        with tf.Session() as session:
            session.run(self.initializers)
            return session.run(self.outputs if fetches is None else fetches, self.feeds)


def _op_of(result):
    while isinstance(result, (list, tuple)):
        result = result[0]
    return result.op if isinstance(result, Tensor) else result


def has_values(record):
    """Whether two runs of the op give equal values."""
    return record.state is None


def assert_close(actual, expected, sample, scale=1.0):
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if actual.dtype.kind in "fc" or actual.dtype.name == "bfloat16":
        rtol = sample.rtol or RTOL.get(actual.dtype.name, 1e-10)
        atol = rtol if sample.atol is None else sample.atol
        wide = np.complex128 if actual.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(
            actual.astype(wide), expected.astype(wide), rtol=rtol * scale, atol=atol * scale
        )
    else:
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize(("record", "sample"), CASES)
def test_host_kernel_gives_the_reference(record, sample, monkeypatch):
    jit_mode(monkeypatch, "never")
    case = Case(record, sample)
    values = case.run()
    for value, tensor in zip(values, case.outputs, strict=True):
        if tensor.dtype.name not in ("string", "resource", "variant"):
            kind = np.dtype(tensor.dtype.as_numpy_dtype)
            assert np.asarray(value).dtype == (kind[0] if kind.names else kind)
    if record.reference is None or not has_values(record):
        return
    flat = [v for x in arrays_of(sample) for v in (x if isinstance(x, list) else [x])]
    expected = record.bind_reference(case.op._attrs)(flat)
    if not isinstance(expected, (tuple, list)):
        expected = [expected]
    expected = [e for item in expected for e in (item if isinstance(item, list) else [item])]
    # A mutable output is the new value of the variable, which comes first anyhow.
    updated = sum(t.dtype._is_ref_dtype for t in case.outputs)
    expected = expected[len(record.updates) - updated :]
    for value, tensor, want in zip(values, case.outputs, expected, strict=True):
        want = np.asarray(want)
        if tensor.dtype.name != "string":
            want = want.astype(tensor.dtype.as_numpy_dtype)
        assert_close(value, want, sample)


def is_compiled(record):
    return record.compilable


SAMPLES = {}
for _case in CASES:
    SAMPLES.setdefault(_case.values[0].name, []).append(_case.values)


# Op types whose programs take more than half a second to compile.
LONG_TO_COMPILE = frozenset(
    """BesselI0e Betainc BlockLSTM BlockLSTMV2 CTCLoss CropAndResize Expm1 FractionalAvgPool
    FractionalMaxPool Igamma ImageProjectiveTransform MatrixExponential MatrixInverse
    MaxPoolWithArgmax RandomGamma RandomGammaGrad RandomPoissonV2 ScaleAndTranslate
    StatelessMultinomial StridedSliceAssign""".split()
)


def compilable(slow):
    """The op types that are compiled, but for those that take long."""
    return [
        pytest.param(op, marks=[pytest.mark.slow] if slow or op in LONG_TO_COMPILE else [])
        for op, cases in SAMPLES.items()
        if is_compiled(cases[0][0])
    ]


@pytest.mark.parametrize("op", compilable(slow=False))
def test_compiled_kernel_gives_what_the_host_kernel_gives(op, monkeypatch):
    compare_compiled(SAMPLES[op][:1], monkeypatch)


@pytest.mark.parametrize("op", compilable(slow=True))
def test_compiled_kernel_gives_what_the_host_kernel_gives_for_all_samples(op, monkeypatch):
    """All samples of an op are one program: most of what it costs to compile one is the start."""
    compare_compiled(SAMPLES[op], monkeypatch)


def compare_compiled(samples, monkeypatch):
    jit_mode(monkeypatch, "never")
    expected = [Case(record, sample).run() for record, sample in samples]
    jit_mode(monkeypatch, "always")
    tf.reset_default_graph()
    cases = [Case(record, sample) for record, sample in samples]
    with tf.Session() as session:
        session.run([case.initializers for case in cases])
        feeds = {tensor: value for case in cases for tensor, value in case.feeds.items()}
        actual = session.run([case.outputs for case in cases], feeds)
    for (record, sample), values, wanted in zip(samples, actual, expected, strict=True):
        for value, want in zip(values, wanted, strict=True):
            if has_values(record):
                assert_close(value, want, sample, scale=4.0)
            else:
                assert value.shape == want.shape
                assert value.dtype == want.dtype


@pytest.mark.parametrize(("record", "sample"), CASES)
def test_static_shapes_fit_the_run_time_shapes(record, sample, monkeypatch):
    jit_mode(monkeypatch, "never")
    for known in ("all", "rank", "nothing"):
        tf.reset_default_graph()
        case = Case(record, sample, known)
        for value, tensor in zip(case.run(), case.outputs, strict=True):
            assert tensor.shape.is_compatible_with(np.shape(value)), (known, tensor)
        depends = (
            record.dynamic_shape or record.concrete or record.runs_on is RunsOn.HOST_UNLESS_KNOWN
        )
        told = known == "all" and not depends
        if told and "shape" not in sample.attrs:
            inferred = case.outputs[INFERRED.get(record.name, slice(None))]
            assert all(t.shape.is_fully_defined() for t in inferred)


@pytest.mark.parametrize(("record", "sample"), CASES)
def test_node_defs_make_the_same_node_again(record, sample):
    case = Case(record, sample)
    node = case.op.node_def
    flat = [t for x in case.inputs for t in (x if isinstance(x, list) else [x])]
    again = case.op.graph.create_op(node.op, flat, attrs=dict(node.attr), name="again")
    assert [t.dtype for t in again.outputs] == [t.dtype for t in case.outputs]
    assert [t.shape.as_list() if t.shape.ndims is not None else None for t in again.outputs] == [
        t.shape.as_list() if t.shape.ndims is not None else None for t in case.outputs
    ]
    copy = again.node_def
    copy.name = node.name
    assert copy == node


def is_differentiable(record):
    function = gradient_of(record.name)
    return function is not None and function is not NOT_DIFFERENTIABLE


def gradient_ends(case, sample):
    """The inputs that differences are taken of, and the outputs that change with them."""
    flat = [t for x in case.inputs for t in (x if isinstance(x, list) else [x])]
    inputs = [
        t
        for i, t in enumerate(flat)
        if t in case.feeds
        and t.dtype.is_floating
        and (sample.gradient is None or i in sample.gradient)
    ]
    return inputs, [t for t in case.outputs if t.dtype.is_floating]


def has_differences(record, sample):
    if not is_differentiable(record) or not has_values(record):
        return False
    with tf.Graph().as_default():
        return all(gradient_ends(Case(record, sample), sample))


GRADIENT_CASES = [case for case in CASES if has_differences(*case.values)]


def _wide(value):
    """A float32 input as float64, where differences are exact enough."""
    if isinstance(value, list):
        return [_wide(v) for v in value]
    value = np.asarray(value)
    wider = {"float32": np.float64, "complex64": np.complex128}.get(value.dtype.name)
    return value.astype(wider) if wider else value


def _widened(record, sample):
    allowed = [a.allowed for a in record.schema.attrs if a.type == "type" and a.allowed]
    fixed = any(a.dtype is tf.float32 for a in record.schema.inputs)
    if not fixed and all(tf.float64 in types or tf.float32 not in types for types in allowed):
        wide = type(sample)(*[_wide(x) for x in sample.inputs], **sample.attrs)
        wide.gradient = sample.gradient
        wide.attrs = {
            k: tf.float64 if v is tf.float32 or v is np.float32 else v
            for k, v in sample.attrs.items()
        }
        return wide, 1e-6, 1e-6
    return sample, 2e-3, 5e-2


@pytest.mark.parametrize(("record", "sample"), GRADIENT_CASES)
def test_gradient_is_the_limit_of_differences(record, sample, monkeypatch):
    jit_mode(monkeypatch, "never")
    sample, delta, tolerance = _widened(record, sample)
    case = Case(record, sample)
    wanted, outputs = gradient_ends(case, sample)
    generator = np.random.default_rng(zlib.crc32(record.name.encode()))
    with tf.Session() as session:
        values = session.run(outputs, case.feeds)
        weights = [generator.normal(size=np.shape(v)).astype(np.asarray(v).dtype) for v in values]
        grads = tf.gradients(outputs, wanted, grad_ys=[tf.constant(w) for w in weights])
        for tensor, grad in zip(wanted, grads, strict=True):
            numeric = _numeric(session, case, outputs, weights, tensor, delta)
            symbolic = np.zeros(numeric.shape)
            if grad is not None:
                symbolic = session.run(tf.convert_to_tensor(grad), case.feeds)
            np.testing.assert_allclose(
                np.asarray(symbolic, np.float64), numeric, rtol=tolerance * 50, atol=tolerance * 20
            )


def _numeric(session, case, outputs, weights, tensor, delta):
    base = np.array(case.feeds[tensor])
    result = np.zeros(base.shape)
    for index in np.ndindex(*base.shape):
        totals = []
        for sign in (1, -1):
            moved = base.copy()
            moved[index] += sign * delta
            values = session.run(outputs, {**case.feeds, tensor: moved})
            totals.append(
                sum(
                    float(np.sum(np.asarray(v, np.float64) * w))
                    for v, w in zip(values, weights, strict=True)
                )
            )
        result[index] = (totals[0] - totals[1]) / (2 * delta)
    return result


RESTRICTED = [
    pytest.param(record, id=record.name)
    for record in records()
    if record.schema.inputs
    and not record.schema.inputs[0].is_list
    and not record.schema.inputs[0].is_ref
    and (attr := record.schema.attr.get(record.schema.inputs[0].type_attr or ""))
    and attr.allowed
    and tf.string not in attr.allowed
]


@pytest.mark.parametrize("record", RESTRICTED)
def test_a_type_that_is_not_allowed_is_named_with_the_allowed_ones(record):
    arg = record.schema.inputs[0]
    allowed = record.schema.attr[arg.type_attr].allowed
    text = f"parameter '{arg.name}' has DataType string not in list of allowed values: "
    with pytest.raises(TypeError) as caught:
        getattr(build, record.name)(*[tf.constant("x")] * len(record.schema.inputs))
    assert text + ", ".join(t.name for t in allowed) in str(caught.value)
