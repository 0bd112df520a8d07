"""Ops on quantized integers and the ranges that they represent."""

from cases import Case, Cast, f32, family, i32, numbers


def bits(op, *shape, **options):
    """A quint8 (or another) tensor of seeded integers."""
    kind = options.get("kind", "quint8")
    plain = {"quint8": "uint8", "qint8": "int8", "qint32": "int32"}[kind]
    low, high = {"quint8": (0, 256), "qint8": (-128, 128), "qint32": (-70000, 70000)}[kind]
    seed = options.get("seed", 0)
    return Cast(numbers(op, *shape, dtype=plain, low=low, high=high, seed=seed), kind)


RANGES = ((f32(0), f32(1)), (f32(-1), f32(2)), (f32(-0.5), f32(8)))


@family("quantized", "QuantizedAdd QuantizedMul")
def arithmetic(op):
    for low, high in RANGES:
        for left, right in (((2, 3), (2, 3)), ((4,), (1,)), ((8, 3), (3,))):
            x, y = bits(op, *left), bits(op, *right, seed=1)
            yield Case(op, x, y, low, high, f32(-2), f32(3))
    yield Case(op, bits(op, 0), bits(op, 0), f32(0), f32(1), f32(0), f32(1), kind="empty")
    bad = (bits(op, 3), bits(op, 2))
    yield Case(op, *bad, f32(0), f32(1), f32(0), f32(1), kind="mismatch")


@family("quantized", "QuantizedAvgPool QuantizedMaxPool")
def pools(op):
    for low, high in RANGES:
        for size, step, padding in ((2, 2, "VALID"), (3, 2, "SAME"), (2, 1, "SAME")):
            attrs = {"ksize": [1, size, size, 1], "strides": [1, step, step, 1]}
            attrs["padding"] = padding
            yield Case(op, bits(op, 2, 5, 4, 2), low, high, attrs=attrs)


@family("quantized", "QuantizedBiasAdd")
def bias(op):
    for low, high in RANGES:
        x, b = bits(op, 2, 3, 4), bits(op, 4, kind="quint8", seed=1)
        yield Case(op, x, b, low, high, f32(-1), f32(1), out_type="qint32")
    yield Case(
        op, bits(op, 2, 4), bits(op, 3), f32(0), f32(1), f32(0), f32(1), out_type="qint32",
        kind="mismatch",
    )  # fmt: skip


@family("quantized", "QuantizedConv2D")
def conv(op):
    for low, high in RANGES:
        for step, padding in ((1, "SAME"), (2, "VALID"), (2, "SAME")):
            x, w = bits(op, 2, 5, 4, 2), bits(op, 3, 2, 2, 3, seed=1)
            yield Case(
                op, x, w, low, high, f32(-1), f32(1), strides=[1, step, step, 1], padding=padding
            )


@family("quantized", "QuantizedMatMul")
def matmul(op):
    for low, high in RANGES:
        for a, b in ((False, False), (True, False), (False, True), (True, True)):
            x = bits(op, *((3, 2) if a else (2, 3)))
            y = bits(op, *((4, 3) if b else (3, 4)), seed=1)
            yield Case(op, x, y, low, high, f32(-1), f32(1), transpose_a=a, transpose_b=b)
    bad = (bits(op, 2, 3), bits(op, 2, 3))
    yield Case(op, *bad, f32(0), f32(1), f32(0), f32(1), kind="mismatch")


@family("quantized", "QuantizedRelu QuantizedRelu6 QuantizedReluX")
def relu(op):
    for low, high in RANGES + ((f32(-3), f32(-1)),):
        more = [f32(2)] if op == "QuantizedReluX" else []
        yield Case(op, bits(op, 2, 3), *(more + [low, high]))


@family("quantized", "QuantizedReshape")
def reshape(op):
    for kind in ("quint8", "qint32"):
        yield Case(op, bits(op, 2, 6, kind=kind), i32([3, -1]), f32(-1), f32(2))
        yield Case(op, bits(op, 2, 6, kind=kind), i32([5, 2]), f32(-1), f32(2), kind="mismatch")


@family("quantized", "QuantizedResizeBilinear")
def resize(op):
    for low, high in RANGES:
        for corners in (False, True):
            x = bits(op, 1, 3, 4, 2)
            yield Case(op, x, i32([5, 6]), low, high, align_corners=corners)
            yield Case(op, x, i32([2, 2]), low, high, align_corners=corners)
    yield Case(op, numbers(op, 1, 3, 4, 2), i32([5, 6]), f32(0), f32(1), kind="attr")


@family("quantized", "QuantizedInstanceNorm")
def instance_norm(op):
    for low, high in RANGES:
        x = bits(op, 2, 4, 4, 3)
        yield Case(op, x, low, high)
        yield Case(
            op, x, low, high, output_range_given=True, given_y_min=-2.0, given_y_max=2.0,
            kind="attr",
        )  # fmt: skip


@family("quantized", "QuantizedBatchNormWithGlobalNormalization")
def batch_norm(op):
    for low, high in RANGES:
        for scale in (False, True):
            parts = [bits(op, 2, 3, 3, 4), low, high]
            for i in range(4):
                parts += [bits(op, 4, seed=i + 1), f32(0), f32(2)]
            yield Case(
                op, *parts, out_type="qint32", variance_epsilon=0.125,
                scale_after_normalization=scale,
            )  # fmt: skip


@family("quantized", "RequantizationRange QuantizeDownAndShrinkRange Requantize")
def requantize(op):
    for low, high in RANGES[1:] + ((f32(-100), f32(100)),):
        x = bits(op, 2, 5, kind="qint32")
        if op == "RequantizationRange":
            yield Case(op, x, low, high)
            continue
        more = [f32(-1), f32(1)] if op == "Requantize" else []
        yield Case(op, *([x, low, high] + more), out_type="quint8")
    if op == "Requantize":
        yield Case(op, x, f32(-1), f32(1), f32(1), f32(-1), out_type="quint8", kind="mismatch")


@family("quantized", "QuantizeAndDequantize")
def quantize_and_dequantize(op):
    for dtype in ("float32", "float64"):
        for signed in (False, True):
            for width in (2, 8):
                x = numbers(op, 2, 5, dtype=dtype)
                yield Case(op, x, signed_input=signed, num_bits=width)
                yield Case(
                    op, x, signed_input=signed, num_bits=width, range_given=True, input_min=-2.0,
                    input_max=2.0, kind="attr",
                )  # fmt: skip
