"""Convolutions by the native kernels against the other forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.base import native
from headwater.base.lazy import jax, jnp
from headwater.ops.nn import (
    convolution_host,
    convolution_native,
    convolution_xla,
    depthwise_forms,
)
from headwater.ops.nn.window import Axis, window_axis

pytestmark = pytest.mark.skipif(
    native.library() is None,
    reason="needs native kernels: built by `pip install .`, not turned off",
)
CHOICE = "_is_fastest"


@st.composite
def axes(draw):
    """Windows along one axis, with any padding that TensorFlow permits."""
    window, stride = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    dilation = draw(st.integers(1, 2)) if stride == 1 else 1
    size = draw(st.integers((window - 1) * dilation + 1, 14))
    padding = draw(st.sampled_from(["SAME", "VALID", "EXPLICIT"]))
    pads = draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
    return window_axis(size, window, stride, padding, dilation, pads)


def numbers(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def without_kernels(function, *arguments):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution_native, CHOICE, lambda *_: False)
        return function(*arguments)


def same(native_result, other):
    assert native_result.shape == other.shape and native_result.dtype == other.dtype
    np.testing.assert_allclose(native_result, other, rtol=1e-3, atol=1e-3)


def check(windows: list[Axis], batch: int, channels: int, outputs: int, groups: int = 1) -> None:
    """All three directions, on the host and compiled, against NumPy's products."""
    x = numbers(batch, *(a.size for a in windows), channels * groups)
    w = numbers(*(a.window for a in windows), channels, outputs * groups)
    g = numbers(batch, *(a.out for a in windows), outputs * groups)
    pairs = zip(np.split(x, groups, -1), np.split(w, groups, -1), np.split(g, groups, -1))
    parts = [
        (
            without_kernels(convolution_host.forward, a, b, windows),
            without_kernels(convolution_host.backprop_input, b, c, windows),
            without_kernels(convolution_host.backprop_filter, a, c, windows),
        )
        for a, b, c in pairs
    ]
    y, dx, dw = (np.concatenate(same_kind, -1) for same_kind in zip(*parts))
    for xp in (np, jnp):
        results = (
            convolution_native.forward(xp, x, w, windows, groups),
            convolution_native.backprop_input(xp, w, g, windows, groups),
            convolution_native.backprop_filter(xp, x, g, windows, groups),
        )
        for result, expected in zip(results, (y, dx, dw)):
            if result is not None:
                same(np.asarray(result), expected)


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(axes(), axes()),
    st.integers(1, 3),
    st.integers(1, 20),
    st.integers(1, 20),
    st.sampled_from([1, 1, 2, 3]),
)
def test_any_shape_is_as_in_other_forms(windows, batch, channels, outputs, groups):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution_native, CHOICE, lambda *_: True)
        check(list(windows), batch, channels, outputs, groups)


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_work_for_several_threads(batch):
    windows = [window_axis(24, 3, 1, "SAME")] * 2
    check(windows, batch, 16, 32)
    check(windows, batch, 1, 1, groups=32)


def test_kernels_are_chosen_and_compiled():
    x, w = numbers(4, 16, 16, 16), numbers(3, 3, 16, 16)
    windows = [window_axis(16, 3, 1, "SAME")] * 2
    program = jax.jit(lambda x, w: convolution_xla.forward(x, w, windows)).lower(x, w)
    assert native.CONVOLUTION in program.as_text()
    depthwise = jax.jit(lambda x, w: depthwise_forms.forward(jnp, x, w, windows)).lower(
        x, w[:, :, :, :1]
    )
    assert native.CONVOLUTION in depthwise.as_text()
    plain = without_kernels(
        jax.jit(lambda x, w: convolution_xla.forward(x, w, windows)).lower, x, w
    )
    # The two have different keys on the disk.
    assert native.CONVOLUTION not in plain.as_text()


def test_little_work_is_left_to_other_forms():
    x, w = numbers(1, 4, 4, 2), numbers(3, 3, 2, 2)
    assert convolution_native.forward(np, x, w, [window_axis(4, 3, 1, "SAME")] * 2) is None


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_other_types(dtype):
    x, w = numbers(2, 8, 8, 16).astype(dtype), numbers(3, 3, 16, 16).astype(dtype)
    windows = [window_axis(8, 3, 1, "SAME")] * 2
    result = np.asarray(convolution_xla.forward(x, w, windows))
    assert result.dtype == dtype
    expected = without_kernels(convolution_host.forward, x, w, windows)
    np.testing.assert_allclose(result, expected, rtol=1e-2, atol=5e-2)


@pytest.mark.parametrize("shape", [(0, 8, 8, 16), (2, 0, 8, 16)])
def test_zero_elements(shape):
    windows = [window_axis(size, 3, 1, "SAME") for size in shape[1:3]]
    x, w = numbers(*shape), numbers(3, 3, shape[-1], 16)
    for forms in (convolution_host, convolution_xla):
        y = np.asarray(forms.forward(x, w, windows))
        assert y.shape == (*shape[:3], 16) and not y.any()
        assert not np.asarray(forms.backprop_filter(x, y, windows)).any()
        assert np.asarray(forms.backprop_input(w, y, windows)).shape == shape
