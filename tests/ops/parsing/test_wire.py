"""Batches of Examples read from their bytes: as the parser of protocol buffers reads them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.base import dtypes, errors, native
from headwater.ops.parsing import example, example_columns
from headwater.ops.parsing.example_batch import read_batch
from headwater.ops.parsing.regular_wire import regular_entries
from headwater.ops.parsing.wire import Batch
from headwater.protos.lazy import example_pb2

KEYS = ("a", "bb", "a key of more than eight letters", "")
KINDS = {"a": "float", "bb": "int64", "a key of more than eight letters": "string", "": "int64"}
VALUES = {
    "float": st.floats(width=32, allow_nan=False),
    "int64": st.integers(-(2**63), 2**63 - 1) | st.integers(0, 300),
    "string": st.binary(max_size=3) | st.just(b"x" * 200),
}
LISTS = {"float": "float_list", "int64": "int64_list", "string": "bytes_list"}


@pytest.fixture(params=["native kernels", "NumPy"], autouse=True, scope="module")
def reader(request):
    """Runs the tests with each of the two readers of bytes."""
    if request.param == "native kernels":
        if native.library() is None:
            pytest.skip("needs native kernels: built by `pip install .`, not turned off")
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "library", lambda: None)
        yield


@st.composite
def messages(draw):
    """A serialized Example, sometimes damaged."""
    message = example_pb2.Example()
    for key in draw(st.lists(st.sampled_from([*KEYS, "other"]), unique=True)):
        kind = KINDS.get(key, "float")
        if draw(st.integers(0, 20)) == 0:
            kind = draw(st.sampled_from(sorted(LISTS)))
        values = draw(st.lists(VALUES[kind], max_size=4) | st.lists(VALUES[kind], max_size=2))
        field = getattr(message.features.feature[key], LISTS[kind])
        field.SetInParent()
        field.value.extend(values)
    data = bytearray(message.SerializeToString())
    if data and draw(st.integers(0, 20)) == 0:
        data[draw(st.integers(0, len(data) - 1))] ^= 1 << draw(st.integers(0, 7))
    return bytes(data[: len(data) - (draw(st.integers(0, 20)) == 0)])


def words(values):
    array = np.empty(len(values), object)
    array[:] = values
    return array


def parsed(texts, ragged, few, monkeypatch):
    monkeypatch.setattr(example_columns, "_FEW_FEATURES", few)
    integers, floats = (np.array(0), np.array(0, np.float32))
    defaults = [integers, floats] if ragged else [np.array([7, 8]), np.array([1, 2], np.float32)]
    shapes = [(None,), (None, 2)] if ragged else [(2,), (2,)]
    try:
        return example.kernel_parse_example(
            np,
            words(texts),
            words([]),
            [np.array(b"a key of more than eight letters", object), np.array(b"bb", object)],
            [np.array(b"", object), np.array(b"a", object)],
            defaults,
            sparse_types=[dtypes.string, dtypes.int64],
            Tdense=[dtypes.int64, dtypes.float32],
            dense_shapes=shapes,
        )
    except errors.InvalidArgumentError as error:
        return error


@given(texts=st.lists(messages(), max_size=40), ragged=st.booleans())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_both_parsers_agree(texts, ragged):
    with pytest.MonkeyPatch.context() as patch:
        slow = parsed(texts, ragged, 10**9, patch)
        fast = parsed(texts, ragged, 0, patch)
    if isinstance(slow, Exception):
        # Unused keys may be invalid UTF-8: only the parser of protocol buffers checks them.
        assert str(slow).startswith("Could not parse") or str(fast) == str(slow)
        return
    assert len(slow) == len(fast)
    for one, other in zip(slow, fast):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_usual_batches_are_read_from_the_bytes():
    message = example_pb2.Example()
    message.features.feature["a"].float_list.value.extend([1.5, 2.5])
    message.features.feature["bb"].int64_list.value.extend([-1, 2**62, 0])
    message.features.feature["c"].bytes_list.value.extend([b"", b"x" * 300])
    texts = [message.SerializeToString()] * 20 + [b""]
    floats, integers, strings = read_batch(texts, [b"a", b"bb", b"c"], ["float", "int64", "string"])
    assert floats.values.tolist() == [1.5, 2.5] * 20
    assert integers.values.tolist() == [-1, 2**62, 0] * 20
    assert strings.values.tolist() == [b"", b"x" * 300] * 20
    assert floats.counts.tolist() == [2] * 20 + [0]
    assert strings.missing.tolist() == [False] * 20 + [True]


def test_unusual_bytes_are_left_to_the_other_parser():
    message = example_pb2.Example()
    message.features.feature["a"].float_list.value.append(1.0)
    text = message.SerializeToString()
    assert read_batch([text] * 20, [b"a"], ["float"]) is not None
    assert read_batch([text] * 19 + [text[:-1]], [b"a"], ["float"]) is None
    assert read_batch([text + text] * 20, [b"a"], ["float"]) is None  # two parts of one message
    assert read_batch([text] * 20, [b"a"], ["int64"]) is None
    assert read_batch([text] * 20, [b"a", b"a"], ["float", "float"]) is None
    assert read_batch([text] * 20, [b"a" * 100], ["float"]) is None


@st.composite
def equal_layouts(draw):
    """Messages of one writer: the same keys in the same order, values of any lengths."""
    keys = draw(st.permutations([*KEYS, "other"]))[: draw(st.integers(1, 5))]
    sizes = {key: draw(st.integers(1, 3)) for key in keys}
    texts = []
    for _ in range(draw(st.integers(16, 24))):
        parts = []
        for key in keys:
            feature = example_pb2.Example().features.feature["key"]
            kind = KINDS.get(key, "float")
            values = draw(st.lists(VALUES[kind], min_size=sizes[key], max_size=sizes[key]))
            getattr(feature, LISTS[kind]).value.extend(values)
            name, value = key.encode(), feature.SerializeToString()
            entry = field(1, name) + field(2, value)
            parts.append(field(1, entry))
        texts.append(field(1, b"".join(parts)))
    return texts


def field(number, data):
    """A field with a length, as the wire format has it."""
    length, size = b"", len(data)
    while size >= 0x80:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


@st.composite
def any_order(draw):
    """Messages with the same features, each in an order of its own, as TensorFlow writes them."""
    keys = draw(st.lists(st.sampled_from([*KEYS, "other", "another"]), min_size=1, unique=True))
    texts = []
    for _ in range(draw(st.integers(16, 24))):
        entries = []
        for key in draw(st.permutations(keys)):
            feature = example_pb2.Example().features.feature["key"]
            values = getattr(feature, LISTS[KINDS.get(key, "float")])
            values.SetInParent()
            values.value.extend(draw(st.lists(VALUES[KINDS.get(key, "float")], max_size=3)))
            entry = field(1, key.encode()) + field(2, feature.SerializeToString())
            entries.append(field(1, entry))
        texts.append(field(1, b"".join(entries)))
    return texts


@given(texts=equal_layouts() | any_order())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_messages_of_one_writer(texts):
    keys = [key for key in KEYS if key]
    columns = read_batch(texts, [key.encode() for key in keys], [KINDS[key] for key in keys])
    assert columns is not None
    features = [example_pb2.Example.FromString(text).features.feature for text in texts]
    for key, column in zip(keys, columns):
        lists = [
            list(getattr(f[key], LISTS[KINDS[key]]).value) if key in f else [] for f in features
        ]
        assert column.counts.tolist() == [len(values) for values in lists]
        assert column.values.tolist() == [value for values in lists for value in values]
        missing = [False] * len(texts) if column.missing is None else column.missing.tolist()
        assert missing == [key not in f for f in features]


def test_features_that_are_not_wanted_are_learned():
    def message(i, other):
        entries = [
            field(1, b"wanted") + field(2, field(3, field(1, bytes([i])))),
            field(1, other) + field(2, field(1, field(1, b"x"))),
        ]
        return field(1, b"".join(field(1, entry) for entry in entries[:: 1 - 2 * (i % 2)]))

    keys = [b"wanted"]
    for other in (b"first", b"first", b"second", b"a key " + b"of many letters " * 3):
        texts = [message(i, other) for i in range(20)]
        for _ in range(2):
            found = regular_entries(Batch(texts), keys, ["int64"])
        assert found is not None
        assert found.owner.tolist() == [*range(0, 20, 2), *range(1, 20, 2)]
        (column,) = read_batch(texts, keys, ["int64"])
        assert column.values.tolist() == list(range(20))
    damaged = [text.replace(b"\x0a\x06wanted", b"\x0a\x07wanted") for text in texts]
    assert regular_entries(Batch(damaged), keys, ["int64"]) is None


@pytest.mark.parametrize("key_size", [1, 13, 64])
@pytest.mark.parametrize("size", [0, 1, 30, 31, 32, 127, 128, 129, 200, 16000, 17000, 70000])
def test_values_of_all_sizes(size, key_size):
    text, key = b"x" * size, "k" * key_size
    message = example_pb2.Example()
    message.features.feature[key].bytes_list.value.append(text)
    message.features.feature["n"].int64_list.value.extend([1] * size)
    message.features.feature["f"].float_list.value.extend([1.0] * (size // 4))
    texts = [message.SerializeToString()] * 16
    kinds = ["string", "int64", "float"]
    strings, integers, floats = read_batch(texts, [key.encode(), b"n", b"f"], kinds)
    assert strings.values.tolist() == [text] * 16
    assert integers.counts.tolist() == [size] * 16
    assert integers.values.sum() == 16 * size
    assert floats.counts.tolist() == [size // 4] * 16


def test_long_values_and_lists_that_are_not_packed():
    long = b"x" * 70000
    texts = []
    for i in range(20):
        unpacked = b"".join([bytes([0x08, n]) for n in (i, i + 1)])
        entries = [
            field(1, b"long") + field(2, field(1, field(1, long[: 100 + 4000 * i]))),
            field(1, b"loose") + field(2, field(3, unpacked)),
        ]
        texts.append(field(1, b"".join(field(1, entry) for entry in entries)))
    found = read_batch(texts, [b"long"], ["string"])
    assert [len(value) for value in found[0].values] == [
        min(100 + 4000 * i, 70000) for i in range(20)
    ]
    assert read_batch(texts, [b"loose"], ["int64"]) is None
