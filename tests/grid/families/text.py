"""Strings, parsing of text and Protocol Buffers."""

import struct
import zlib

import numpy as np

import cases as grid
from cases import Call, Case, extreme, f32, family, i32, i64, numbers, special, strings, types_of

WORDS = strings([[b"hello", b"", b"a b  c"], [b"\xc3\xa9t\xc3\xa9", b"A-b_C", b"\xff\x00x"]])
EMPTY = strings([])[:0].astype(object)


@family("text", "StringLength StringLower StringUpper StringStrip")
def words(op):
    padded = strings(b" \t x y\n ", b"\xc3\x89", b"")
    for x in (WORDS, padded):
        yield Case(op, x)
        if op == "StringLength":
            yield Case(op, x, unit="UTF8_CHAR", kind="attr")
        elif op in ("StringLower", "StringUpper"):
            yield Case(op, x[:1], encoding="utf-8", kind="attr")
    yield Case(op, strings(b"Word"), kind="scalar")
    yield Case(op, EMPTY, kind="empty")


@family("text", "AsString")
def as_string(op):
    for dtype in types_of(op):
        x = numbers(op, 2, 3, dtype=dtype)
        yield Case(op, x)
        yield Case(op, x, width=6, kind="attr")
        yield Case(op, x, width=6, fill="0", kind="attr")
        yield Case(op, x, width=6, fill="-", kind="attr")
        yield Case(op, x, width=4, fill="ab", kind="bad attr")
        if dtype in grid.FLOATS + grid.COMPLEX:
            yield Case(op, x, precision=2, kind="attr")
            yield Case(op, x, scientific=True, precision=3, kind="attr")
            yield Case(op, x, shortest=True, kind="attr")
            yield Case(op, x, scientific=True, shortest=True, kind="bad attr")
        if dtype in grid.FLOATS:
            yield Case(op, special(dtype), kind="special")
            yield Case(op, special(dtype), shortest=True, kind="special")
        if dtype in grid.FLOATS + grid.INTEGERS:
            yield Case(op, extreme(dtype), kind="extreme")


@family("text", "StringToNumber")
def to_number(op):
    texts = {
        "float32": [b"1", b"-2.5", b"1e3", b" 7 ", b"inf", b"-INF", b"nan", b"1e-50", b"0x10"],
        "int32": [b"0", b"-5", b" 12 ", b"2147483647", b"-2147483648"],
    }
    for dtype in ("float32", "float64", "int32", "int64"):
        good = texts["float32" if dtype.startswith("f") else "int32"]
        for text in good:
            yield Case(op, strings([text]), out_type=dtype)
        for text in (b"", b"x", b"1.5.2", b"1 2", b"--1", b"1.5", b"2147483648", b"1e400", b"+3"):
            yield Case(op, strings([text]), out_type=dtype, kind="odd")
        yield Case(op, strings(b"3"), out_type=dtype, kind="scalar")
        yield Case(op, EMPTY, out_type=dtype, kind="empty")


@family("text", "StringToHashBucket StringToHashBucketFast StringToHashBucketStrong")
def hash_bucket(op):
    for buckets in (1, 10, 2**40):
        more = {"key": [11, 22]} if op.endswith("Strong") else {}
        yield Case(op, WORDS, num_buckets=buckets, attrs=more)
    long = strings(b"x" * 17, b"y" * 33, b"z" * 65, b"0123456789" * 30)
    yield Case(op, long, num_buckets=1000003, attrs=dict(more), kind="long")
    yield Case(op, EMPTY, num_buckets=3, attrs=dict(more), kind="empty")
    yield Case(op, WORDS, num_buckets=0, attrs=dict(more), kind="bad attr")


@family("text", "Fingerprint")
def fingerprint(op):
    for dtype in ("float32", "int32", "string", "uint8"):
        yield Case(op, numbers(op, 3, 4, dtype=dtype), strings(b"farmhash64"))
    yield Case(op, numbers(op, 3, 4), strings(b"md5"), kind="bad method")


@family("text", "StringJoin")
def join(op):
    yield Case(op, [WORDS, WORDS])
    yield Case(op, [WORDS, strings(b"!"), WORDS], separator=", ", kind="attr")
    yield Case(op, [strings(b"a"), strings(b"b")], kind="scalar")
    yield Case(op, [WORDS, WORDS[:1]], kind="mismatch")
    yield Case(op, [EMPTY, EMPTY], kind="empty")


@family("text", "ReduceJoin")
def reduce_join(op):
    for axis in (i32(0), i32(-1), i32([0, 1]), i32([1, 0]), i32([])):
        yield Case(op, WORDS, axis)
        yield Case(op, WORDS, axis, separator=":", keep_dims=True, kind="attr")
    yield Case(op, WORDS, i32(2), kind="bad axis")
    yield Case(op, WORDS, i32([0, 0]), kind="bad axis")
    yield Case(op, WORDS[:, :0], i32(1), kind="empty")


@family("text", "UnsortedSegmentJoin")
def segment_join(op):
    yield Case(op, WORDS, i32([0, 1]), i32(3))
    yield Case(op, WORDS, i32([[0, 1, 0], [2, 1, 0]]), i32(3), separator=",")
    yield Case(op, WORDS, i32([0, 5]), i32(3), kind="bad ids")
    yield Case(op, WORDS, i32([0, -1]), i32(3), kind="bad ids")
    yield Case(op, WORDS, i32([0]), i32(3), kind="mismatch")


@family("text", "Substr")
def substr(op):
    for index in (i32, i64):
        yield Case(op, strings(b"hello", b"world"), index(1), index(3))
        yield Case(op, strings(b"hello", b"world"), index([0, 2]), index([9, 1]))
        yield Case(op, strings(b"hello", b"world"), index(-3), index(2))
        yield Case(op, strings(b"hello"), index(5), index(2), kind="scalar")
        yield Case(op, strings(b"hello"), index(6), index(2), kind="out of range")
        yield Case(op, strings(b"hello"), index(-6), index(2), kind="out of range")
        yield Case(
            op, strings([[b"abc"], [b"xyz"]]), index([0, 1]), index([1, 2]), kind="broadcast"
        )
        yield Case(op, strings(b"hello", b"a"), index([1]), index(1), kind="mismatch")
    yield Case(op, strings(b"\xc3\xa9t\xc3\xa9"), i32(1), i32(2), unit="UTF8_CHAR", kind="attr")
    yield Case(op, strings(b"\xc3\xa9t\xc3\xa9"), i32(4), i32(2), unit="UTF8_CHAR", kind="attr")


@family("text", "StringSplit StringSplitV2")
def split(op):
    lines = strings(b"hello world", b" a  b ", b"", b"x,y,,z")
    for separator in (b" ", b",", b"", b", "):
        yield Case(op, lines, strings(separator))
        if op == "StringSplit":
            yield Case(op, lines, strings(separator), skip_empty=False, kind="attr")
        else:
            yield Case(op, lines, strings(separator), maxsplit=1, kind="attr")
    yield Case(op, EMPTY, strings(b" "), kind="empty")
    yield Case(op, WORDS, strings(b" "), kind="bad rank")
    yield Case(op, lines, strings(b" ", b","), kind="bad rank")


@family("text", "RegexFullMatch RegexReplace StaticRegexFullMatch StaticRegexReplace")
def regex(op):
    for pattern, new in (
        (b"a", b"X"), (b"[a-z]+", b"<\\0>"), (b"^h(.*)o$", b"\\1"), (b"", b"-"), (b"\\d*", b"."),
        (b"(?i)B", b"_"), (b"(", b""), (b"x{2", b""), (b"a", b"\\9"), (b"\\pL", b"L"),
    ):  # fmt: skip
        for every in (True, False):
            if op == "RegexFullMatch":
                yield Case(op, WORDS, strings(pattern))
            elif op == "StaticRegexFullMatch":
                yield Case(op, WORDS, pattern=pattern)
            elif op == "RegexReplace":
                yield Case(op, WORDS, strings(pattern), strings(new), replace_global=every)
            else:
                yield Case(op, WORDS, pattern=pattern, rewrite=new, replace_global=every)


@family("text", "EncodeBase64 DecodeBase64")
def base64(op):
    if op == "EncodeBase64":
        yield Case(op, WORDS)
        yield Case(op, WORDS, pad=True, kind="attr")
        yield Case(op, EMPTY, kind="empty")
    else:
        yield Case(op, strings(b"aGVsbG8", b"", b"YQ", b"YQ==", b"__-_"))
        for text in (b"a", b"aGV!", b"YQ=", b"Y===", b"+/+/"):
            yield Case(op, strings(text), kind="odd")


@family("text", "StringFormat")
def format_(op):
    x, y = numbers(op, 3, 4), numbers(op, 9, dtype="int32")
    yield Case(op, [x], template="x = {}")
    yield Case(op, [x, y], template="{} and {}", summarize=2)
    yield Case(op, [WORDS[0]], template="%t", placeholder="%t")
    yield Case(op, [x], template="{} {}", kind="mismatch")
    yield Case(op, [np.float32(3)], template="{}", kind="scalar")
    yield Case(op, [numbers(op, 2, dtype="bool")], template="{}")


@family("text", "StringNGrams")
def ngrams(op):
    data, splits = strings(b"a", b"b", b"c", b"d", b"e"), [0, 3, 3, 5]
    base = {"separator": "|", "left_pad": "<", "right_pad": ">", "preserve_short_sequences": False}
    for index in (i32, i64):
        for widths in ([2], [1, 3]):
            for pad in (0, 1, -1):
                yield Case(
                    op, data, index(splits), attrs=dict(base, ngram_widths=widths, pad_width=pad)
                )
    more = dict(base, ngram_widths=[4], pad_width=0, preserve_short_sequences=True)
    yield Case(op, data, i32(splits), attrs=more, kind="attr")
    yield Case(op, data, i32([0, 9]), attrs=dict(more), kind="bad splits")


@family("text", "UnicodeDecode UnicodeDecodeWithOffsets")
def unicode_decode(op):
    x = strings(b"\xc3\xa9t\xc3\xa9", b"", b"abc", b"\xff!", b"\xf0\x9f\x98\x80")
    for errors in ("replace", "ignore", "strict"):
        yield Case(op, x, input_encoding="UTF-8", errors=errors)
    yield Case(op, x[:3], input_encoding="UTF-8", errors="strict")
    yield Case(op, x, input_encoding="UTF-8", replacement_char=63, kind="attr")
    yield Case(op, x, input_encoding="UTF-8", replace_control_characters=True, kind="attr")
    yield Case(op, strings(b"\0a\0b"), input_encoding="UTF-16-BE", kind="attr")
    yield Case(op, x, input_encoding="latin-1", kind="attr")
    yield Case(op, x, input_encoding="no such", kind="bad attr")
    if op == "UnicodeDecode":
        yield Case(op, x[:3], input_encoding="UTF-8", Tsplits="int32", kind="attr")


@family("text", "UnicodeEncode")
def unicode_encode(op):
    for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        yield Case(op, i32([233, 116, 128512]), i64([0, 2, 2, 3]), output_encoding=encoding)
    for errors in ("replace", "ignore", "strict"):
        yield Case(
            op, i32([0x110000, -1, 65]), i32([0, 3]), output_encoding="UTF-8", errors=errors,
            kind="bad codes",
        )  # fmt: skip


@family("text", "UnicodeScript")
def unicode_script(op):
    yield Case(op, i32([65, 233, 945, 1078, 0x4E00, 0x3042, 48, 32, 0x1F600, -1, 0x110000]))
    yield Case(op, i32([]), kind="empty")


@family("text", "UnicodeTranscode")
def unicode_transcode(op):
    for target in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        for errors in ("replace", "ignore", "strict"):
            yield Case(op, WORDS, input_encoding="UTF-8", output_encoding=target, errors=errors)
    yield Case(op, WORDS[0], input_encoding="latin-1", output_encoding="UTF-8", kind="attr")
    yield Case(op, WORDS, input_encoding="bad", output_encoding="UTF-8", kind="bad attr")


@family("text", "DecodeRaw")
def decode_raw(op):
    data = strings(bytes(bytearray(range(16))), bytes(bytearray(range(100, 116))))
    for dtype in types_of(op, "out_type"):
        if dtype in ("bool", "string"):
            continue
        yield Case(op, data, out_type=dtype)
        yield Case(op, data, out_type=dtype, little_endian=False, kind="attr")
    yield Case(op, strings(b"abc", b"ab"), out_type="uint8", kind="mismatch")
    yield Case(op, strings(b"abc"), out_type="int32", kind="mismatch")
    yield Case(op, EMPTY, out_type="int32", kind="empty")
    yield Case(op, strings(b"", b""), out_type="int32", kind="empty")


@family("text", "DecodePaddedRaw")
def decode_padded(op):
    # Shorter strings crash the process.
    data = strings(bytes(bytearray(range(8))), b"abcdefghij")
    for dtype in ("uint8", "int32", "float32", "int16"):
        # With types wider than a byte, TensorFlow writes the second string past its row and the
        # next ones past the end of the output: five strings crash the process.
        given = data if dtype == "uint8" else data[:1]
        for n in (8, 4):
            yield Case(op, given, i32(n), out_type=dtype)
            yield Case(op, data[1:], i32(n), out_type=dtype)
    yield Case(op, data, i32(3), out_type="int32", kind="mismatch")


@family("text", "DecodeCompressed")
def decode_compressed(op):
    import gzip

    text = b"hello " * 9
    yield Case(op, strings(zlib.compress(text)), compression_type="ZLIB")
    yield Case(op, strings(text), compression_type="")
    yield Case(op, strings(text), compression_type="ZLIB", kind="bad data")
    yield Case(op, strings(text), compression_type="LZ", kind="bad attr")
    del gzip


@family("text", "ParseTensor SerializeTensor")
def tensors(op):
    for dtype in grid.DTYPES:
        for dims in ((2, 3), (), (0,)):
            x = numbers(op, *dims, dtype=dtype)
            if op == "SerializeTensor":
                yield Case(op, x)
            else:
                yield Case(op, Call("SerializeTensor", x), out_type=dtype)
    if op == "ParseTensor":
        yield Case(op, Call("SerializeTensor", f32(1)), out_type="int32", kind="mismatch")
        yield Case(op, strings(b"\xff\xff"), out_type="int32", kind="bad data")


@family("text", "DecodeCSV")
def decode_csv(op):
    defaults = [f32([1]), i32([2]), strings([b"c"])]
    lines = strings(b"1.5,2,x", b",,", b'-1,7,"a,b"', b'3,4,"say ""hi"""')
    yield Case(op, lines, defaults)
    yield Case(op, strings(b"1,2,3"), defaults, kind="scalar")
    yield Case(op, strings(b"1;2;3"), defaults, field_delim=";", kind="attr")
    yield Case(op, strings(b'1,2,"3'), defaults, use_quote_delim=False, kind="attr")
    yield Case(op, strings(b"1,NA,NA"), defaults, na_value="NA", kind="attr")
    yield Case(op, strings(b"9,1,8,2,7,3"), defaults, select_cols=[1, 3, 5], kind="attr")
    for line in (b"1,2", b"1,2,3,4", b"x,2,3", b"1,2.5,3", b'1,2,"3', b'1,2,3"', b""):
        yield Case(op, strings([line]), defaults, kind="odd")
    required = [f32([]), i32([]), strings([b"c"])]
    yield Case(op, strings(b",2,x"), required, kind="missing")
    yield Case(op, strings(b"1,,x"), required, kind="missing")
    yield Case(op, strings(b"1,2,x"), required)
    yield Case(op, strings(b"1,99999999999,x"), defaults, kind="odd")
    for dtype in ("int64", "float64"):
        yield Case(op, strings(b"1,5"), [np.zeros(1, dtype), np.zeros(1, dtype)])


# Example protos, written by hand: (field number << 3 | 2), length, bytes.


def message(*fields):
    parts = []
    for number, data in fields:
        parts.append(bytes(bytearray([number << 3 | 2, len(data)])) + data)
    return b"".join(parts)


def feature(values):
    if isinstance(values[0], bytes):
        return message((1, b"".join(message((1, v)) for v in values)))
    if isinstance(values[0], float):
        return message((2, message((1, struct.pack("<%df" % len(values), *values)))))
    return message((3, message((1, bytes(bytearray(values))))))


def example(**features):
    entries = [message((1, k.encode()), (2, feature(v))) for k, v in sorted(features.items())]
    return message((1, b"".join(message((1, e)) for e in entries)))


EXAMPLES = [
    example(a=[1.0, 2.0], b=[3], c=[b"x", b"yy"]),
    example(a=[0.5, -1.0], b=[4], c=[b"z"]),
    example(a=[0.5, -1.0], b=[9]),
]


@family("text", "ParseExample")
def parse_example(op):
    def case(serialized, kind="ordinary", names=EMPTY, sparse=(b"c",), dense=(b"a", b"b"), **more):
        attrs = {
            "sparse_types": ["string"][: len(sparse)],
            "dense_shapes": [[2], []][: len(dense)],
        }
        attrs.update(more)
        return Case(
            op, serialized, names, [np.array(k, object) for k in sparse],
            [np.array(k, object) for k in dense],
            [f32([7, 8]), i64(5)][: len(dense)], kind=kind, attrs=attrs,
        )  # fmt: skip

    yield case(strings(*EXAMPLES))
    yield case(strings(EXAMPLES[:1]))
    yield case(strings([example(c=[b"only"])]), "missing")
    yield case(strings([example(a=[1.0], b=[1])]), "mismatch")
    yield case(strings([example(a=[1], b=[1])]), "mismatch")
    yield case(strings([b"\xff\xff"]), "bad data")
    yield case(EMPTY, "empty")
    yield case(strings(*EXAMPLES), "attr", dense_shapes=[[None], []])
    yield case(strings(*EXAMPLES), "names", names=strings(b"n0", b"n1", b"n2"))
    yield case(strings(*EXAMPLES), "mismatch", names=strings([b"n0"]))


@family("text", "ParseSingleExample")
def parse_single(op):
    for data, kind in (
        (EXAMPLES[0], "ordinary"), (example(c=[b"only"]), "missing"), (b"\xff\xff", "bad data"),
        (example(a=[1.0], b=[1]), "mismatch"),
    ):  # fmt: skip
        yield Case(
            op, strings(data), [f32([7, 8]), i64(5)], kind=kind, num_sparse=1,
            sparse_keys=["c"], dense_keys=["a", "b"], sparse_types=["string"],
            dense_shapes=[[2], []],
        )  # fmt: skip


def sequence(context, lists):
    entries = [message((1, k.encode()), (2, feature(v))) for k, v in sorted(context.items())]
    first = b"".join(message((1, e)) for e in entries)
    items = []
    for name, steps in sorted(lists.items()):
        body = b"".join(message((1, feature(s))) for s in steps)
        items.append(message((1, message((1, name.encode()), (2, body)))))
    return message((1, first), (2, b"".join(items)))


SEQUENCE = sequence({"a": [3]}, {"f": [[1.0, 2.0], [3.0, 4.0]], "s": [[b"x"], [b"y", b"z"]]})


@family("text", "ParseSingleSequenceExample")
def parse_single_sequence(op):
    def key(*names):
        return [np.array(n, object) for n in names]

    for data, kind in ((SEQUENCE, "ordinary"), (b"\xff\xff", "bad data"), (b"", "missing")):
        for missing in (EMPTY, strings([b"f"])):
            yield Case(
                op, strings(data), missing, [], key(b"a"), key(b"s"), key(b"f"), [i64(0)],
                strings(b"name"), kind=kind, context_sparse_types=[],
                feature_list_sparse_types=["string"],
                feature_list_dense_types=["float32"], context_dense_shapes=[[]],
                feature_list_dense_shapes=[[2]],
            )  # fmt: skip


@family("text", "ParseSequenceExample")
def parse_sequence(op):
    def key(*names):
        return [np.array(n, object) for n in names]

    other = sequence({"a": [4]}, {"f": [[5.0, 6.0]], "s": [[b"w"]]})
    for data, kind in (([SEQUENCE, other], "ordinary"), ([b"\xff\xff"], "bad data")):
        yield Case(
            op, strings(data), EMPTY, [], key(b"a"), key(b"s"), key(b"f"), [i64(0)],
            kind=kind, feature_list_dense_missing_assumed_empty=[], context_sparse_types=[],
            feature_list_sparse_types=["string"], feature_list_dense_types=["float32"],
            context_dense_shapes=[[]], feature_list_dense_shapes=[[2]],
        )  # fmt: skip


@family("text", "DecodeJSONExample")
def json_example(op):
    good = b'{"features": {"feature": {"a": {"int64List": {"value": ["1", "2"]}}}}}'
    yield Case(op, strings(good))
    yield Case(op, strings([[good]]))
    yield Case(op, strings(b"{"), kind="bad data")
    yield Case(op, strings(b'{"no": 1}'), kind="bad data")
    yield Case(op, EMPTY, kind="empty")


# Summaries


@family("text", "ScalarSummary")
def scalar_summary(op):
    for dtype in types_of(op):
        yield Case(op, strings(b"tag"), numbers(op, dtype=dtype))
        yield Case(op, strings(b"a", b"b"), numbers(op, 2, dtype=dtype))
        yield Case(op, strings(b"a", b"b"), numbers(op, 3, dtype=dtype), kind="mismatch")


@family("text", "HistogramSummary")
def histogram_summary(op):
    for dtype in types_of(op):
        yield Case(op, strings(b"tag"), numbers(op, 3, 4, dtype=dtype))
        if dtype in grid.FLOATS:
            yield Case(op, strings(b"tag"), special(dtype), kind="special")
    yield Case(op, strings(b"a", b"b"), f32([1]), kind="bad rank")


@family("text", "MergeSummary")
def merge_summary(op):
    parts = [Call("ScalarSummary", strings(b"t%d" % i), f32(i)) for i in range(2)]
    yield Case(op, parts)
    yield Case(op, [parts[0], parts[0]], kind="repeated")
    yield Case(op, [strings(b"\xff\xff")], kind="bad data")


@family("text", "TensorSummary TensorSummaryV2")
def tensor_summary(op):
    x = numbers(op, 2, 3)
    if op == "TensorSummary":
        # It has the name of the node in it.
        yield Case(op, x, hidden=(0,))
        yield Case(op, WORDS, hidden=(0,))
    else:
        yield Case(op, strings(b"tag"), x, strings(b""))
        yield Case(op, strings(b"tag"), WORDS, strings(b""))


@family("text", "ImageSummary AudioSummary AudioSummaryV2")
def media_summary(op):
    # Encoded media differ in the bits from encoder to encoder.
    if op == "ImageSummary":
        for channels in (1, 3, 4):
            x = numbers(op, 2, 3, 4, channels, low=0, high=1)
            yield Case(op, strings(b"tag"), x, hidden=(0,), kind="encoded")
        yield Case(op, strings(b"tag"), x[0], kind="bad rank")
        yield Case(op, strings(b"tag"), numbers(op, 1, 2, 2, 2), kind="bad channels")
    else:
        x = numbers(op, 2, 10, low=-1, high=1)
        rate = {"sample_rate": 8000.0} if op == "AudioSummary" else {}
        more = [f32(8000)] if op == "AudioSummaryV2" else []
        yield Case(op, strings(b"tag"), x, *more, attrs=dict(rate))
        yield Case(op, strings(b"tag"), x, *more, attrs=dict(rate, max_outputs=1), kind="attr")
        yield Case(op, strings(b"tag"), x[0, 0], *more, attrs=dict(rate), kind="bad rank")


@family("text", "ShardedFilename")
def sharded(op):
    yield Case(op, strings(b"name"), i32(3), i32(12))
