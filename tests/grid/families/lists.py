"""Lists of tensors in one variant, ragged rows, and other ops on parts of tensors."""

import numpy as np

from cases import Call, Case, family, i32, i64, numbers, strings, types_of

TYPES = ("float32", "int32", "complex64", "string", "bool")


def made(op, dtype, *shape):
    """A list of the rows of a tensor."""
    x = numbers(op, *shape, dtype=dtype)
    return Call("TensorListFromTensor", x, i32(list(shape[1:])))


@family("lists", "TensorListStack TensorListGetItem TensorListPopBack TensorListGather")
def read(op):
    for dtype in TYPES:
        more = {
            "TensorListStack": [()],
            "TensorListGetItem": [(i32(0),), (i32(2),), (i32(3),), (i32(-1),)],
            "TensorListPopBack": [()],
            "TensorListGather": [(i32([2, 0]),), (i32([]),), (i32([3]),)],
        }[op]
        for inputs in more:
            for shape in ([2], [-1]):
                arguments = [made(op, dtype, 3, 2)] + list(inputs) + [i32(shape)]
                yield Case(op, *arguments, element_dtype=dtype)
        first = list(more[0])
        arguments = [made(op, dtype, 3, 2)] + first + [i32([3])]
        yield Case(op, *arguments, element_dtype=dtype, kind="mismatch")
        wrong = "int64" if dtype != "int64" else "float32"
        arguments = [made(op, dtype, 3, 2)] + first + [i32([2])]
        yield Case(op, *arguments, element_dtype=wrong, kind="mismatch")


@family("lists", "TensorListLength TensorListElementShape")
def sizes(op):
    attrs = {"shape_type": "int32"} if op == "TensorListElementShape" else {}
    for shape in ((3, 2), (0, 2), (2,), (2, 3, 4)):
        yield Case(op, made(op, "float32", *shape), attrs=attrs)
    reserved = Call("TensorListReserve", i32([2]), i32(4), element_dtype="float32")
    yield Case(op, reserved, attrs=attrs)
    empty = Call("EmptyTensorList", i32([2]), i32(4), element_dtype="float32")
    yield Case(op, empty, attrs=attrs)


@family("lists", "TensorListPushBack TensorListSetItem TensorListResize")
def write(op):
    for dtype in ("float32", "int32", "string"):
        item = numbers(op, 2, dtype=dtype, seed=1)
        inputs = {
            "TensorListPushBack": [(item,), (numbers(op, 3, dtype=dtype),)],
            "TensorListSetItem": [(i32(0), item), (i32(2), item), (i32(3), item), (i32(-1), item)],
            "TensorListResize": [(i32(2),), (i32(3),), (i32(5),), (i32(-1),)],
        }[op]
        for values in inputs:
            call = Call(op, *((made(op, dtype, 3, 2),) + values))
            yield Case("TensorListLength", call)
            stack = Call(op, *((made(op, dtype, 3, 2),) + values))
            yield Case("TensorListStack", stack, i32([2]), element_dtype=dtype)


@family("lists", "TensorListSplit TensorListScatter TensorListConcatV2 TensorListFromTensor")
def cut(op):
    for dtype in ("float32", "int32", "string"):
        x = numbers(op, 4, 2, dtype=dtype)
        if op == "TensorListSplit":
            for lengths in ([1, 3], [4], [2, 0, 2], [1, 1]):
                call = Call(op, x, i32([-1, 2]), i64(lengths))
                yield Case("TensorListGetItem", call, i32(0), i32([-1, 2]), element_dtype=dtype)
        elif op == "TensorListScatter":
            for places in ([3, 1, 0, 2], [0, 1, 2, 3], [0, 2, 4, 1], [0, -1, 1, 2]):
                call = Call(op, x, i32(places), i32([2]))
                yield Case("TensorListStack", call, i32([2]), element_dtype=dtype)
        elif op == "TensorListConcatV2":
            source = Call("TensorListSplit", x, i32([-1, 2]), i64([1, 3]))
            yield Case(op, source, i32([-1, 2]), i64([]), element_dtype=dtype)
        else:
            for shape in ([2], [-1]):
                call = Call(op, x, i32(shape))
                yield Case("TensorListStack", call, i32([2]), element_dtype=dtype)


@family("lists", "RaggedRange")
def ragged_range(op):
    for dtype in types_of(op, "T"):

        def of(*values):
            return np.array(values, dtype)

        yield Case(op, of(0, 2, 5), of(3, 2, 9), of(1, 1, 2))
        yield Case(op, of(3), of(0), of(-1))
        yield Case(op, np.asarray(0, dtype), of(1, 4, 2), np.asarray(1, dtype))
        yield Case(op, of(0), of(4), of(1), Tsplits="int32", kind="attr")
        yield Case(op, of(0), of(4), of(0), kind="zero step")
        yield Case(op, of(0, 1), of(4), of(1), kind="mismatch")
        yield Case(op, of(), of(), of(), kind="empty")


@family("lists", "RaggedGather")
def ragged_gather(op):
    for dtype in TYPES:
        values = numbers(op, 5, dtype=dtype)
        for index in (i32, i64):
            for rows in ([2, 0], [1], [], [0, 0, 2]):
                yield Case(
                    op, [i64([0, 2, 2, 5])], values, index(rows),
                    OUTPUT_RAGGED_RANK=1,
                )  # fmt: skip
        yield Case(
            op, [i64([0, 2, 2, 5])], values, i32([3]), OUTPUT_RAGGED_RANK=1, kind="bad index",
        )  # fmt: skip


@family("lists", "RaggedTensorToSparse")
def ragged_to_sparse(op):
    for dtype in TYPES:
        values = numbers(op, 5, dtype=dtype)
        yield Case(op, [i64([0, 2, 2, 5])], values)
        yield Case(op, [i64([0, 2, 3]), i64([0, 2, 2, 5])], values)
        yield Case(op, [i64([0, 2, 4])], values, kind="bad splits")
        yield Case(op, [i64([0])], values[:0], kind="empty")


@family("lists", "CompareAndBitpack")
def bitpack(op):
    for dtype in types_of(op):
        yield Case(op, numbers(op, 2, 8, dtype=dtype), numbers(op, dtype=dtype, low=0, high=1))
        yield Case(op, numbers(op, 16, dtype=dtype), numbers(op, dtype=dtype, low=1, high=2))
        threshold = numbers(op, dtype=dtype, low=0, high=1)
        yield Case(op, numbers(op, 2, 7, dtype=dtype), threshold, kind="mismatch")


@family("lists", "ScaleAndTranslate")
def scale_and_translate(op):
    scale, move = np.array([1.5, 0.5], np.float32), np.array([0.25, -0.5], np.float32)
    for kernel in ("lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic"):
        for antialias in (False, True):
            yield Case(
                op, numbers(op, 1, 5, 6, 2), i32([4, 3]), scale, move, kernel_type=kernel,
                antialias=antialias,
            )  # fmt: skip
    yield Case(op, numbers(op, 1, 5, 6, 2), i32([4, 3]), -scale, move, kind="negative")


@family("lists", "EncodeWav")
def encode_wav(op):
    for channels in (1, 2):
        yield Case(op, numbers(op, 6, channels, low=-1, high=1), i32(8000))
    yield Case(op, np.array([[2.0], [-2.0], [np.inf]], np.float32), i32(8000), kind="outside")
    yield Case(op, numbers(op, 6), i32(8000), kind="bad rank")


@family("lists", "DecodeWav")
def decode_wav(op):
    for channels in (1, 2):
        sound = Call("EncodeWav", numbers(op, 6, channels, low=-1, high=1), i32(8000))
        for wanted in (-1, 1, 2, 3):
            for samples in (-1, 4, 9):
                yield Case(op, sound, desired_channels=wanted, desired_samples=samples)
    yield Case(op, strings(b"RIFF"), kind="broken")


@family("lists", "AudioSpectrogram")
def spectrogram(op):
    for squared in (False, True):
        for size, step in ((8, 4), (7, 3), (16, 16)):
            yield Case(
                op, numbers(op, 20, 1, low=-1, high=1), window_size=size, stride=step,
                magnitude_squared=squared,
            )  # fmt: skip
    yield Case(op, numbers(op, 20), window_size=8, stride=4, kind="bad rank")


@family("lists", "Mfcc")
def mfcc(op):
    x = np.abs(numbers(op, 1, 3, 129))
    yield Case(op, x, i32(16000))
    yield Case(op, x, i32(16000), filterbank_channel_count=20, dct_coefficient_count=5, kind="attr")
    yield Case(op, x, i32(16000), upper_frequency_limit=7000.0, kind="attr")
    yield Case(op, x[0], i32(16000), kind="bad rank")
