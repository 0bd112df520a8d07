"""Images: resizing, colours, boxes, codecs."""

import struct
import zlib

import numpy as np

from cases import Call, Case, f32, family, i32, numbers, strings, types_of


@family("image", "ResizeBilinear ResizeNearestNeighbor ResizeBicubic ResizeArea")
def resize(op):
    for dtype in types_of(op):
        x = numbers(op, 1, 4, 5, 2, dtype=dtype, low=0, high=100)
        for size in ((8, 10), (2, 3), (4, 5), (1, 1), (7, 3)):
            yield Case(op, x, i32(size))
        yield Case(op, x, i32([8, 10]), align_corners=True, kind="attr")
        yield Case(op, x, i32([2, 3]), align_corners=True, kind="attr")
        if op != "ResizeArea":
            yield Case(op, x, i32([8, 9]), half_pixel_centers=True, kind="attr")
            yield Case(op, x, i32([3, 2]), half_pixel_centers=True, kind="attr")
        yield Case(op, x, i32([0, 3]), kind="bad size")
        yield Case(op, x, i32([-1, 3]), kind="bad size")
        yield Case(op, x, i32([3]), kind="mismatch")
        yield Case(op, x[0], i32([3, 3]), kind="bad rank")
        yield Case(op, x[:0], i32([3, 3]), kind="empty")


@family("image", "ResizeBilinearGrad ResizeBicubicGrad ResizeNearestNeighborGrad")
def resize_gradient(op):
    for dtype in types_of(op):
        for size in ((8, 10), (2, 3), (4, 5)):
            for attrs in ({}, {"align_corners": True}, {"half_pixel_centers": True}):
                kind = "attr" if attrs else "ordinary"
                if op == "ResizeNearestNeighborGrad":
                    g = numbers(op, 1, *size, 2, dtype=dtype)
                    yield Case(op, g, i32([4, 5]), kind=kind, attrs=dict(attrs))
                else:
                    g = numbers(op, 1, *size, 2)
                    x = numbers(op, 1, 4, 5, 2, dtype=dtype)
                    yield Case(op, g, x, kind=kind, attrs=dict(attrs))


@family("image", "CropAndResize")
def crop(op):
    boxes = f32([[0, 0, 1, 1], [0.25, 0.25, 0.75, 0.5], [1, 1, 0, 0], [-0.5, 0, 1.5, 1]])
    index = i32([0, 1, 0, 1])
    for dtype in types_of(op):
        x = numbers(op, 2, 4, 5, 2, dtype=dtype, low=0, high=50)
        for method in ("bilinear", "nearest"):
            yield Case(op, x, boxes, index, i32([3, 2]), method=method)
            yield Case(op, x, boxes, index, i32([1, 1]), method=method)
        yield Case(op, x, boxes, index, i32([2, 2]), extrapolation_value=7.0, kind="attr")
        yield Case(op, x, boxes[:0], index[:0], i32([2, 2]), kind="empty")
        yield Case(op, x, boxes, i32([0, 1, 2, 0]), i32([2, 2]), kind="bad index")
        yield Case(op, x, boxes, i32([0]), i32([2, 2]), kind="mismatch")
        yield Case(op, x, boxes, index, i32([0, 2]), kind="bad size")


@family("image", "CropAndResizeGradBoxes CropAndResizeGradImage")
def crop_gradient(op):
    boxes = f32([[0, 0, 1, 1], [0.25, 0.25, 0.75, 0.5], [-0.5, 0, 1.5, 1]])
    index = i32([0, 1, 1])
    for dtype in types_of(op):
        g = numbers(op, 3, 3, 2, 2)
        if op.endswith("Boxes"):
            yield Case(op, g, numbers(op, 2, 4, 5, 2, dtype=dtype, seed=1), boxes, index)
        elif dtype in ("float16", "float32", "float64"):
            for method in ("bilinear", "nearest"):
                yield Case(op, g, boxes, index, i32([2, 4, 5, 2]), T=dtype, method=method)


@family("image", "RGBToHSV HSVToRGB")
def colours(op):
    for dtype in types_of(op):
        x = np.abs(numbers(op, 4, 5, 3, dtype=dtype, low=0, high=1))
        yield Case(op, x)
        yield Case(op, x[0, 0], kind="rank 1")
        yield Case(op, x[:0], kind="empty")
        yield Case(op, x[..., :2].copy(), kind="mismatch")
        yield Case(op, np.zeros((1, 3), dtype))
        yield Case(op, np.ones((1, 3), dtype))


@family("image", "AdjustContrast AdjustContrastv2 AdjustHue AdjustSaturation")
def adjust(op):
    for dtype in types_of(op):
        x = np.abs(numbers(op, 2, 3, 3, 3, dtype=dtype, low=0, high=1))
        for factor in (0.0, 0.5, -0.25, 1.5):
            more = [f32(0), f32(1)] if op == "AdjustContrast" else []
            if op == "AdjustContrast":
                x = numbers(op, 2, 3, 3, 3, dtype=dtype, low=0, high=50)
            yield Case(op, x, f32(factor), *more)
            yield Case(op, x[0], f32(factor), *more)
        yield Case(op, x[0, 0, 0], f32(0.5), *more, kind="bad rank")
        if op in ("AdjustHue", "AdjustSaturation"):
            yield Case(op, x[..., :2].copy(), f32(0.5), kind="mismatch")


BOXES = [
    [0, 0, 1, 1], [0, 0.125, 1, 1.125], [0, -0.125, 1, 0.875], [0, 10, 1, 11],
    [0, 10.125, 1, 11.125], [0, 100, 1, 101],
]  # fmt: skip


@family(
    "image",
    "NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 "
    "NonMaxSuppressionV5",
)
def suppression(op):
    boxes, scores = f32(BOXES), f32([0.875, 0.75, 0.625, 0.9375, 0.5, 0.25])

    def case(boxes, scores, n, overlap=0.5, threshold=0.0, kind="ordinary", **attrs):
        if op == "NonMaxSuppression":
            return Case(op, boxes, scores, i32(n), iou_threshold=overlap, kind=kind, attrs=attrs)
        more = [f32(overlap)]
        if op != "NonMaxSuppressionV2":
            more.append(f32(threshold))
        if op.endswith("V5"):
            more.append(f32(attrs.pop("sigma", 0.0)))
        return Case(op, boxes, scores, i32(n), *more, kind=kind, attrs=attrs)

    for n in (0, 1, 3, 30):
        for overlap in (0.25, 0.5, 1.0):
            yield case(boxes, scores, n, overlap)
    yield case(boxes, scores, 6, 0.5, 0.6, kind="threshold")
    yield case(boxes[:, [2, 3, 0, 1]].copy(), scores, 6, kind="turned")
    yield case(boxes[:0], scores[:0], 3, kind="empty")
    yield case(boxes, f32([0.5] * 6), 6, kind="ties")
    yield case(np.repeat(boxes[:1], 6, 0), f32([0.5] * 6), 6, kind="ties")
    yield case(boxes, scores[:3], 3, kind="mismatch")
    yield case(boxes[:, :3].copy(), scores, 3, kind="mismatch")
    yield case(boxes, scores, 3, 1.5, kind="bad threshold")
    if op[-1] in "45":
        yield case(boxes, scores, 9, kind="attr", pad_to_max_output_size=True)
    if op.endswith("V5"):
        yield case(boxes, scores, 6, 0.5, kind="attr", sigma=0.5)


@family("image", "NonMaxSuppressionWithOverlaps")
def suppression_overlaps(op):
    overlaps = np.abs(numbers(op, 4, 4, low=0, high=1))
    scores = f32([0.5, 0.75, 0.25, 0.625])
    for n in (2, 4):
        yield Case(op, overlaps, scores, i32(n), f32(0.5), f32(0.0))
    yield Case(op, overlaps, scores, i32(4), f32(0.5), f32(0.6), kind="threshold")
    yield Case(op, overlaps[:3], scores, i32(4), f32(0.5), f32(0.0), kind="mismatch")


@family("image", "CombinedNonMaxSuppression")
def combined(op):
    boxes = f32([BOXES, BOXES])[:, :, None, :]
    scores = np.abs(numbers(op, 2, 6, 2, low=0, high=1))
    for attrs in ({}, {"pad_per_class": True}, {"clip_boxes": False}):
        yield Case(op, boxes, scores, i32(2), i32(4), f32(0.5), f32(0.1), attrs=dict(attrs))
    yield Case(op, boxes, scores[:, :3].copy(), i32(2), i32(4), f32(0.5), f32(0.1), kind="mismatch")


@family("image", "DrawBoundingBoxes DrawBoundingBoxesV2")
def draw(op):
    x = numbers(op, 2, 6, 7, 3, low=0, high=1)
    boxes = f32([[[0.125, 0.25, 0.75, 0.75]], [[0, 0, 1, 1]]])
    more = [f32([[1, 0, 0], [0, 1, 0]])] if op.endswith("V2") else []
    yield Case(op, x, boxes, *more)
    yield Case(op, x[..., :1].copy(), boxes, *more, kind="grey")
    yield Case(op, x, boxes[:1], *more, kind="mismatch")
    yield Case(op, x, f32([[[-1, -1, 0.5, 2]], [[0.5, 0.5, 0.25, 0.75]]]), *more, kind="outside")
    if more:
        yield Case(op, x, boxes, np.zeros((0, 0), np.float32))


@family("image", "ExtractGlimpse")
def glimpse(op):
    x = numbers(op, 2, 5, 6, 2)
    for offsets in ([[0, 0], [0.5, -0.5]], [[1, 1], [-1, -1]], [[2, 0], [0, -3]]):
        for centered in (True, False):
            for normalized in (True, False):
                yield Case(
                    op, x, i32([3, 2]), f32(offsets), centered=centered, normalized=normalized,
                    uniform_noise=False, noise="zero",
                    kind="outside" if np.abs(offsets).max() >= 1 else "ordinary",
                )  # fmt: skip
    yield Case(op, x, i32([3]), f32([[0, 0], [0, 0]]), kind="mismatch")
    yield Case(op, x, i32([3, 3]), f32([[0, 0]]), kind="mismatch")


@family("image", "SampleDistortedBoundingBox SampleDistortedBoundingBoxV2")
def distorted(op):
    boxes = f32([[[0.125, 0.25, 0.75, 0.75]]])
    for dtype in ("int32", "int64", "uint8"):
        size = np.array([100, 120, 3], dtype)
        for seed in (1, 2):
            attrs = {"seed": seed, "seed2": 7, "min_object_covered": 0.5}
            more = []
            if op.endswith("V2"):
                more = [f32(attrs.pop("min_object_covered"))]
            yield Case(op, size, boxes, *more, attrs=attrs)
            yield Case(
                op, size, boxes[:, :0], *more, kind="no box",
                attrs=dict(attrs, use_image_if_no_bounding_boxes=True),
            )  # fmt: skip
    yield Case(op, i32([100, 120, 3]), boxes[:, :0], *more, attrs=attrs, kind="empty")


# Codecs


def png(array, depth=8, filtered=0):
    """A PNG file of an array [height, width, channels] of uint8 or uint16."""
    height, width, channels = array.shape
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]

    def chunk(name, data):
        body = name + data
        return (
            struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body) & 0xFFFFFFFF)
        )

    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(">u%d" % (depth // 8)).tobytes() for row in array)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )  # fmt: skip


def bmp(array):
    """A bottom-up 24- or 32-bit BMP file of [height, width, channels]."""
    height, width, channels = array.shape
    order = [2, 1, 0, 3][:channels]
    rows = [row[:, order].tobytes() for row in array[::-1]]
    rows = b"".join(r + b"\0" * (-len(r) % 4) for r in rows)
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8 * channels, 0, len(rows), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54) + head + rows


@family("image", "DecodePng EncodePng")
def png_codec(op):
    for channels in (1, 2, 3, 4):
        x = numbers(op, 3, 4, channels, dtype="uint8", low=0, high=256)
        wide = (x.astype(np.uint16) * 257).astype(np.uint16)
        if op == "DecodePng":
            for wanted in (0, 1, 3, 4):
                yield Case(op, strings(png(x)), channels=wanted)
            yield Case(op, strings(png(wide, 16)), dtype="uint16", kind="attr")
            yield Case(op, strings(png(wide, 16)), kind="attr")
        else:
            # Compression differs from library to library; what is decoded does not.
            for data in (x, wide):
                encoded = Call("EncodePng", data)
                yield Case(op, data, hidden=(0,), kind="encoded")
                del encoded
    if op == "DecodePng":
        yield Case(op, strings(png(x)[:40]), kind="cut")
        yield Case(op, strings(b""), kind="bad file")
        yield Case(op, strings(b"no image"), kind="bad file")
        yield Case(op, strings(png(x)), channels=2, kind="bad channels")
    else:
        yield Case(op, x[0], kind="bad rank")
        yield Case(op, numbers(op, 2, 2, 5, dtype="uint8"), kind="bad channels")


@family("image", "DecodeBmp")
def bmp_codec(op):
    for channels in (3, 4):
        data = strings(bmp(numbers(op, 3, 5, channels, dtype="uint8", low=0, high=256)))
        yield Case(op, data)
        yield Case(op, data, channels=channels)
        yield Case(op, data, channels=1, kind="mismatch")
    yield Case(op, strings(b"BM"), kind="bad file")
    yield Case(op, strings(b""), kind="bad file")


# Images of 2 x 2 in two colours: one, and two frames.
_GIF = bytes.fromhex(
    "47494638376102000200810000ff00000000ff0000000000002c000000000200020000080700010408002020003b"
)
_GIFS = bytes.fromhex(
    "47494638376102000200810000ff00000000ff0000000000002c0000000002000200000807000104"
    "080020200021f90401000002002c000000000100020081ff00000000ff0000000000000805000300"
    "0808003b"
)


@family("image", "DecodeGif")
def gif_codec(op):
    yield Case(op, strings(_GIF))
    yield Case(op, strings(_GIFS), kind="two frames")
    yield Case(op, strings(b"GIF89a"), kind="bad file")
    yield Case(op, strings(b""), kind="bad file")


@family("image", "DecodeJpeg DecodeAndCropJpeg ExtractJpegShape")
def jpeg_codec(op):
    for channels in (1, 3):
        x = np.full((16, 24, channels), 90, np.uint8)
        x[:, 8:16] = 200
        data = Call("EncodeJpeg", x, quality=100, format="rgb" if channels == 3 else "grayscale")
        if op == "DecodeJpeg":
            for wanted in (0, 1, 3):
                yield Case(op, data, channels=wanted)
            yield Case(op, data, ratio=2, kind="attr")
            yield Case(op, data, fancy_upscaling=False, kind="attr")
            yield Case(op, data, dct_method="INTEGER_ACCURATE", kind="attr")
        elif op == "DecodeAndCropJpeg":
            yield Case(op, data, i32([2, 4, 8, 10]))
            yield Case(op, data, i32([2, 4, 80, 10]), kind="outside")
        else:
            yield Case(op, data)
            yield Case(op, data, output_type="int64", kind="attr")
    more = [i32([0, 0, 1, 1])] if op == "DecodeAndCropJpeg" else []
    yield Case(op, strings(b""), *more, kind="bad file")
    yield Case(op, strings(b"\xff\xd8\xff\xe0no image"), *more, kind="bad file")


@family("image", "EncodeJpeg EncodeJpegVariableQuality")
def jpeg_encoder(op):
    for channels in (1, 3):
        x = np.full((16, 24, channels), 90, np.uint8)
        more = [i32(90)] if op != "EncodeJpeg" else []
        # Encoders differ in the bits; the pictures are compared where they are decoded.
        yield Case(op, x, *more, hidden=(0,), kind="encoded")
        yield Case(op, x[0], *more, kind="bad rank")
    yield Case(op, np.zeros((4, 4, 2), np.uint8), *more, kind="bad channels")
    if more:
        yield Case(op, x, i32(101), kind="bad quality")
    else:
        yield Case(op, x, quality=101, kind="bad quality")
