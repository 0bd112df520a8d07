"""Convolutions, pooling and their gradients."""

import numpy as np

from cases import Case, f32, family, i32, i64, numbers, types_of

WIDE = ("float16", "float32", "float64", "int32", "int8", "uint8")


@family("windows", "Conv2D")
def conv2d(op):
    for dtype in types_of(op):
        x, w = numbers(op, 2, 5, 6, 2, dtype=dtype), numbers(op, 3, 2, 2, 3, dtype=dtype, seed=1)
        for padding in ("SAME", "VALID"):
            yield Case(op, x, w, strides=[1, 1, 1, 1], padding=padding)
            yield Case(op, x, w, strides=[1, 2, 2, 1], padding=padding)
            yield Case(
                op, x, w, strides=[1, 1, 1, 1], padding=padding, dilations=[1, 2, 3, 1],
                kind="attr",
            )  # fmt: skip
        yield Case(op, x, w[:1, :1], strides=[1, 1, 1, 1], padding="SAME")
        yield Case(op, x[:0], w, strides=[1, 1, 1, 1], padding="SAME", kind="empty")
        yield Case(op, x, w, strides=[1, 3, 1, 1], padding="VALID")
        yield Case(op, x, w[:, :, :1], strides=[1, 1, 1, 1], padding="SAME", kind="mismatch")
        yield Case(op, x[0], w, strides=[1, 1, 1, 1], padding="SAME", kind="bad rank")
        yield Case(op, x[:, :1], w, strides=[1, 1, 1, 1], padding="VALID", kind="too small")
        yield Case(op, x, w, strides=[2, 1, 1, 1], padding="SAME", kind="bad strides")
        yield Case(op, x, w, strides=[1, 0, 1, 1], padding="SAME", kind="bad strides")
        yield Case(
            op, x, w, strides=[1, 1, 1, 1], padding="EXPLICIT",
            explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0], kind="attr",
        )  # fmt: skip
    yield Case(
        op, f32(np.nan * np.ones((1, 3, 3, 1))), f32(np.ones((2, 2, 1, 1))),
        strides=[1, 1, 1, 1], padding="SAME", kind="special",
    )  # fmt: skip


def out_size(size, window, step, padding, rate=1):
    window = (window - 1) * rate + 1
    return -(-size // step) if padding == "SAME" else -(-(size - window + 1) // step)


@family("windows", "Conv2DBackpropFilter Conv2DBackpropInput")
def conv2d_gradient(op):
    for dtype in types_of(op):
        if dtype not in WIDE:
            continue
        for padding in ("SAME", "VALID"):
            for step in (1, 2):
                x = numbers(op, 2, 5, 6, 2, dtype=dtype)
                w = numbers(op, 3, 2, 2, 3, dtype=dtype, seed=1)
                h, v = out_size(5, 3, step, padding), out_size(6, 2, step, padding)
                g = numbers(op, 2, h, v, 3, dtype=dtype, seed=2)
                attrs = {"strides": [1, step, step, 1], "padding": padding}
                if op.endswith("Filter"):
                    yield Case(op, x, i32([3, 2, 2, 3]), g, attrs=attrs)
                else:
                    yield Case(op, i32([2, 5, 6, 2]), w, g, attrs=attrs)
        bad = {"strides": [1, 1, 1, 1], "padding": "VALID"}
        if op.endswith("Filter"):
            yield Case(op, x, i32([3, 2, 2, 3]), g, attrs=bad, kind="mismatch")
        else:
            yield Case(op, i32([2, 5, 6, 2]), w, g, attrs=bad, kind="mismatch")


@family("windows", "DepthwiseConv2dNative")
def depthwise(op):
    for dtype in types_of(op):
        x, w = numbers(op, 2, 5, 5, 2, dtype=dtype), numbers(op, 3, 2, 2, 2, dtype=dtype, seed=1)
        for padding in ("SAME", "VALID"):
            for step in (1, 2):
                yield Case(op, x, w, strides=[1, step, step, 1], padding=padding)
        yield Case(op, x, w[:, :, :1], strides=[1, 1, 1, 1], padding="SAME", kind="mismatch")
        yield Case(op, x[:0], w, strides=[1, 1, 1, 1], padding="SAME", kind="empty")
        yield Case(op, x, w, strides=[1, 1, 2, 1], padding="SAME", kind="bad strides")


@family("windows", "DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput")
def depthwise_gradient(op):
    for dtype in types_of(op):
        for padding in ("SAME", "VALID"):
            for step in (1, 2):
                x = numbers(op, 2, 5, 5, 2, dtype=dtype)
                w = numbers(op, 3, 3, 2, 2, dtype=dtype, seed=1)
                size = out_size(5, 3, step, padding)
                g = numbers(op, 2, size, size, 4, dtype=dtype, seed=2)
                attrs = {"strides": [1, step, step, 1], "padding": padding}
                if op.endswith("Filter"):
                    yield Case(op, x, i32([3, 3, 2, 2]), g, attrs=attrs)
                else:
                    yield Case(op, i32([2, 5, 5, 2]), w, g, attrs=attrs)


@family("windows", "Conv3D")
def conv3d(op):
    for dtype in types_of(op):
        x = numbers(op, 1, 4, 4, 5, 2, dtype=dtype)
        w = numbers(op, 2, 3, 2, 2, 3, dtype=dtype, seed=1)
        for padding in ("SAME", "VALID"):
            for step in (1, 2):
                yield Case(op, x, w, strides=[1, step, step, step, 1], padding=padding)
        yield Case(op, x, w[:, :, :, :1], strides=[1] * 5, padding="SAME", kind="mismatch")
        yield Case(op, x[0], w, strides=[1] * 5, padding="SAME", kind="bad rank")


@family(
    "windows",
    "Conv3DBackpropFilter Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2",
)
def conv3d_gradient(op):
    for dtype in types_of(op):
        for padding in ("SAME", "VALID"):
            for step in (1, 2):
                x = numbers(op, 1, 4, 4, 4, 2, dtype=dtype)
                w = numbers(op, 2, 2, 2, 2, 3, dtype=dtype, seed=1)
                size = out_size(4, 2, step, padding)
                g = numbers(op, 1, size, size, size, 3, dtype=dtype, seed=2)
                attrs = {"strides": [1, step, step, step, 1], "padding": padding}
                first = i32(x.shape) if op == "Conv3DBackpropInputV2" else x
                second = i32(w.shape) if op == "Conv3DBackpropFilterV2" else w
                yield Case(op, first, second, g, attrs=attrs)


@family("windows", "Dilation2D Dilation2DBackpropFilter Dilation2DBackpropInput")
def dilation(op):
    for dtype in types_of(op):
        if dtype not in WIDE:
            continue
        x = numbers(op, 1, 5, 5, 2, dtype=dtype)
        w = numbers(op, 2, 2, 2, dtype=dtype, seed=1)
        for padding in ("SAME", "VALID"):
            for step, rate in ((1, 1), (2, 1), (1, 2)):
                attrs = {"strides": [1, step, step, 1], "rates": [1, rate, rate, 1]}
                attrs["padding"] = padding
                more = []
                if op != "Dilation2D":
                    size = out_size(5, 2, step, padding, rate)
                    more = [numbers(op, 1, size, size, 2, dtype=dtype, seed=2)]
                yield Case(op, x, w, *more, attrs=attrs)


POOL = [(2, 1), (2, 2), (3, 2), (1, 1)]


def pool_attrs(size, step, padding):
    return {"ksize": [1, size, size, 1], "strides": [1, step, step, 1], "padding": padding}


@family("windows", "MaxPool AvgPool MaxPoolV2")
def pool(op):
    for dtype in types_of(op):
        if op == "AvgPool" and dtype not in WIDE:
            continue
        x = numbers(op, 2, 5, 5, 2, dtype=dtype)
        for padding in ("SAME", "VALID"):
            for size, step in POOL:
                attrs = pool_attrs(size, step, padding)
                more = []
                if op == "MaxPoolV2":
                    more = [i32(attrs.pop("ksize")), i32(attrs.pop("strides"))]
                yield Case(op, x, *more, attrs=attrs)
        if op == "MaxPoolV2":
            continue
        attrs = pool_attrs(2, 1, "SAME")
        yield Case(op, x[:0], attrs=dict(attrs), kind="empty")
        yield Case(op, x[0], attrs=dict(attrs), kind="bad rank")
        yield Case(op, x[:, :1], attrs=pool_attrs(2, 1, "VALID"), kind="too small")
        if dtype in ("float32", "float16", "float64"):
            y = x.copy()
            y[0, 2, 2, 0] = np.nan
            y[0, 1, 1, 1] = np.inf
            y[1, 3, 3, 1] = -np.inf
            yield Case(op, y, attrs=dict(attrs), kind="special")
    if op == "MaxPool":
        x = numbers(op, 1, 2, 2, 6)
        deep = {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"}
        yield Case(op, x, attrs=deep, kind="depth")
        yield Case(op, x, attrs=dict(deep, ksize=[1, 2, 1, 2]), kind="depth")


@family("windows", "MaxPoolGrad MaxPoolGradV2 MaxPoolGradGrad MaxPoolGradGradV2 AvgPoolGrad")
def pool_gradient(op):
    for dtype in types_of(op):
        if dtype not in ("float16", "float32", "float64", "int32", "uint8"):
            continue
        for padding in ("SAME", "VALID"):
            for size, step in POOL:
                attrs = pool_attrs(size, step, padding)
                x = numbers(op, 2, 5, 5, 2, dtype=dtype)
                n = out_size(5, size, step, padding)
                g = numbers(op, 2, n, n, 2, dtype=dtype, seed=1)
                if op == "AvgPoolGrad":
                    yield Case(op, i32([2, 5, 5, 2]), g, attrs=attrs)
                    continue
                more = []
                if op.endswith("V2"):
                    more = [i32(attrs.pop("ksize")), i32(attrs.pop("strides"))]
                out = max_pool(x, size, step, padding)
                g = numbers(op, 2, 5, 5, 2, dtype=dtype, seed=1) if "GradGrad" in op else g
                yield Case(op, x, out, g, *more, attrs=attrs)


def max_pool(x, size, step, padding):
    n = out_size(x.shape[1], size, step, padding)
    out = np.zeros((x.shape[0], n, n, x.shape[3]), x.dtype)
    total = max((n - 1) * step + size - x.shape[1], 0) if padding == "SAME" else 0
    for i in range(n):
        for j in range(n):
            top, left = i * step - total // 2, j * step - total // 2
            part = x[:, max(top, 0) : top + size, max(left, 0) : left + size]
            out[:, i, j] = part.max((1, 2))
    return out


@family("windows", "MaxPoolWithArgmax MaxPoolGradWithArgmax MaxPoolGradGradWithArgmax")
def pool_argmax(op):
    for dtype in types_of(op, "T"):
        if dtype not in WIDE:
            continue
        x = numbers(op, 2, 4, 4, 2, dtype=dtype, low=-50, high=50)
        for padding in ("SAME", "VALID"):
            for size, step in POOL[:3]:
                attrs = pool_attrs(size, step, padding)
                if op == "MaxPoolWithArgmax":
                    yield Case(op, x, attrs=attrs)
                    yield Case(op, x, attrs=dict(attrs, Targmax="int32"), kind="attr")
                    yield Case(op, x, attrs=dict(attrs, include_batch_in_index=True), kind="attr")
                    continue
                n = out_size(4, size, step, padding)
                index = np.abs(numbers(op, 2, n, n, 2, dtype="int64", high=16))
                g = numbers(op, 2, n, n, 2, dtype=dtype, seed=1)
                if "GradGrad" in op:
                    g = numbers(op, 2, 4, 4, 2, dtype=dtype, seed=1)
                yield Case(op, x, g, index, attrs=attrs)


@family("windows", "MaxPool3D AvgPool3D MaxPool3DGrad MaxPool3DGradGrad AvgPool3DGrad")
def pool3d(op):
    for dtype in types_of(op, "T"):
        if dtype not in WIDE:
            continue
        for padding in ("SAME", "VALID"):
            for size, step in POOL:
                attrs = {
                    "ksize": [1, size, size, size, 1], "strides": [1, step, step, step, 1],
                    "padding": padding,
                }  # fmt: skip
                x = numbers(op, 1, 4, 4, 4, 2, dtype=dtype)
                n = out_size(4, size, step, padding)
                g = numbers(op, 1, n, n, n, 2, dtype=dtype, seed=1)
                if op in ("MaxPool3D", "AvgPool3D"):
                    yield Case(op, x, attrs=attrs)
                elif op == "AvgPool3DGrad":
                    yield Case(op, i32([1, 4, 4, 4, 2]), g, attrs=attrs)
                else:
                    out = max_pool3d(x, size, step, padding)
                    g = numbers(op, 1, 4, 4, 4, 2, dtype=dtype) if "GradGrad" in op else g
                    yield Case(op, x, out, g, attrs=attrs)


def max_pool3d(x, size, step, padding):
    n = out_size(4, size, step, padding)
    out = np.zeros((1, n, n, n, x.shape[4]), x.dtype)
    total = max((n - 1) * step + size - 4, 0) if padding == "SAME" else 0
    starts = [i * step - total // 2 for i in range(n)]
    for i, a in enumerate(starts):
        for j, b in enumerate(starts):
            for k, c in enumerate(starts):
                part = x[:, max(a, 0) : a + size, max(b, 0) : b + size, max(c, 0) : c + size]
                out[:, i, j, k] = part.max((1, 2, 3))
    return out


@family("windows", "FractionalAvgPool FractionalMaxPool")
def fractional_pool(op):
    for dtype in types_of(op):
        x = numbers(op, 1, 6, 7, 2, dtype=dtype)
        for overlapping in (False, True):
            for random in (False, True):
                yield Case(
                    op, x, pooling_ratio=[1.0, 1.5, 1.25, 1.0], overlapping=overlapping,
                    pseudo_random=random, deterministic=True, seed=3, seed2=5,
                )  # fmt: skip
    yield Case(op, x, pooling_ratio=[2.0, 1.5, 1.0, 1.0], kind="bad ratio")


@family("windows", "FractionalAvgPoolGrad FractionalMaxPoolGrad")
def fractional_pool_gradient(op):
    rows, columns = i64([0, 2, 4, 6]), i64([0, 3, 5, 7])
    for dtype in types_of(op):
        g = numbers(op, 1, 3, 3, 2, dtype=dtype)
        for overlapping in (False, True):
            if op == "FractionalAvgPoolGrad":
                yield Case(op, i64([1, 6, 7, 2]), g, rows, columns, overlapping=overlapping)
            else:
                x = numbers(op, 1, 6, 7, 2, dtype=dtype, seed=1)
                more = 1 if overlapping else 0
                out = np.zeros((1, 3, 3, 2), dtype)
                for i in range(3):
                    for j in range(3):
                        out[:, i, j] = x[
                            :, rows[i] : rows[i + 1] + more, columns[j] : columns[j + 1] + more
                        ].max((1, 2))
                yield Case(op, x, out, g, rows, columns, overlapping=overlapping)
