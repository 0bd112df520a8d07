"""CSV lines, raw bytes, and Example protos."""

from __future__ import annotations

import json

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
BAD = (ValueError, tf.errors.InvalidArgumentError)


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def holds(found, indices, values, shape):
    equal(found.indices, np.reshape(indices, (len(values), len(shape))))
    equal(found.values, values)
    equal(found.dense_shape, shape)


def example(**features):
    made = {}
    for name, given in features.items():
        if given is None:
            made[name] = tf.train.Feature()
        elif all(isinstance(v, int) for v in given):
            made[name] = tf.train.Feature(int64_list=tf.train.Int64List(value=given))
        elif all(isinstance(v, float) for v in given):
            made[name] = tf.train.Feature(float_list=tf.train.FloatList(value=given))
        else:
            made[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=given))
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


@pytest.mark.parametrize("quoted", [True, False])
def test_line_ends_before_fields_of_csv_do_not_count(quoted):
    def fields(record):
        return [x.tolist() for x in value(tf.decode_csv([record] * 9, [["d"]] * 2, ",", quoted))]

    for record, expected in (
        ("\r1,2", [b"1", b"2"]),
        ("\n\r\n1,\r\n2", [b"1", b"2"]),
        ("\n,2", [b"d", b"2"]),
        ('\n"1",2', [b"1" if quoted else b'"1"', b"2"]),
        ("1,", [b"1", b"d"]),
    ):
        assert fields(record) == [[x] * 9 for x in expected]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 2 fields but have 1 in"):
        fields("1,\r\n")
    for record in ("1,2\r", "1\n,2"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unquoted fields cannot have"):
            fields(record)


def test_blank_fields_of_csv_are_numbers_of_type_float_only(tmp_path):
    assert value(tf.decode_csv(["1, ", " ,\t"], [[7.0], [7.0]]))[1].tolist() == [0, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a valid int32"):
        value(tf.decode_csv(["1, "], [[7], [7]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a valid float: -Infinity"):
        value(tf.decode_csv(["-Infinity"], [[7.0]]))
    (tmp_path / "a.csv").write_text("1, ,3\n")
    dataset = tf.data.experimental.CsvDataset(str(tmp_path / "a.csv"), [tf.float32] * 3)
    assert value(tf.data.make_one_shot_iterator(dataset).get_next()) == (1, 0, 3)


def test_decode_csv():
    defaults = [[1.0], tf.constant([2]), tf.constant([], tf.int64), [b"none"]]
    columns = tf.decode_csv(['1.5, 7 ,3,"a,""b"""', ",,4,"], defaults)
    kinds = [tf.float32, tf.int32, tf.int64, tf.string]
    assert [column.dtype for column in columns] == kinds
    assert all(column.get_shape() == [2] for column in columns)
    a, b, c, d = value(columns)
    equal(a, [1.5, 1])
    equal(b, [7, 2])
    equal(c, [3, 4])
    equal(d, [b'a,"b"', b"none"])
    equal(value(tf.decode_csv("1;2", [[0], [0]], field_delim=";")), [1, 2])
    assert value(tf.decode_csv([["1"], ["2"]], [[0]]))[0].shape == (2, 1)
    for record, given in (("1,2,3", [[0], [0]]), ("1", [[0], [0]]), ("x", [[0]]),
                          (",1", [tf.constant([], tf.int32), [0]])):  # fmt: skip
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"Expect 2 fields but have|Field 0 in record 0 is not a valid|"
            r"Field 0 is required but missing in",
        ):
            value(tf.decode_csv([record], given))
    with pytest.raises(BAD, match="Shape of a default must be a length-0 or length-1 vector, or a"):
        value(tf.decode_csv(["1"], [[0, 1]]))


@pytest.mark.parametrize("kind", "float32 float64 int32 uint8 int16 int8 int64".split())
def test_decode_raw(kind):
    x = np.array([[1, 2, 3], [4, 5, 100]]).astype(kind)
    strings = [row.tobytes() for row in x]
    decoded = tf.decode_raw(strings, tf.as_dtype(kind))
    assert decoded.dtype == kind and decoded.get_shape().as_list() == [2, None]
    equal(value(decoded), x)
    swapped = [row.byteswap().tobytes() for row in x]
    equal(value(tf.decode_raw(swapped, tf.as_dtype(kind), little_endian=False)), x)


def test_strings_of_one_length():
    for strings in (["abcd", "abc"], ["abcde"]):
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"DecodeRaw requires input strings to|Input to DecodeRaw has length 5",
        ):
            value(tf.decode_raw(strings, tf.int32))
    scalar = value(tf.decode_raw(b"\x01\x02", tf.uint8))
    equal(scalar, [1, 2])


def test_specifications():
    assert tf.VarLenFeature(tf.int64)[0] == tf.int64
    fixed = tf.FixedLenFeature([2], tf.float32, [0.0, 1.0])
    assert (fixed[0], fixed[1], fixed[2]) == ([2], tf.float32, [0.0, 1.0])
    sequence = tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True)
    assert sequence[1] == tf.int64 and sequence[2] is True


def test_a_ragged_feature():
    serialized = [example(ft=[1.0, 2.0]), example(), example(ft=[3.0])]
    found = value(tf.parse_example(serialized, {"ft": tf.VarLenFeature(tf.float32)}))
    holds(found["ft"], [[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])


def test_names_and_empty_features():
    serialized = [
        example(kw=[b"knit", b"big"], gps=None),
        example(kw=[b"emmy"], dank=[42], gps=None),
    ]
    features = {
        "kw": tf.VarLenFeature(tf.string),
        "dank": tf.VarLenFeature(tf.int64),
        "gps": tf.VarLenFeature(tf.float32),
    }
    for names in (None, ["input0", "input1"]):
        found = value(tf.parse_example(serialized, features, example_names=names))
        holds(found["kw"], [[0, 0], [0, 1], [1, 0]], [b"knit", b"big", b"emmy"], [2, 2])
        holds(found["dank"], [[1, 0]], [42], [2, 1])
        holds(found["gps"], [], [], [2, 0])
    with pytest.raises(BAD, match=r"Expected len\(names\) == len\(serialized\), but got: 1 vs\. 2"):
        value(tf.parse_example(serialized, features, example_names=["one"]))


def test_dense_features():
    """A shape [] gives a vector; the documentation prints the column that the shape [1] gives.

    The documentation leaves out a list that is there but empty: an error in releases from 0.12 on.
    """
    serialized = [example(age=[0], gender=[b"f"]), example(age=None, gender=[b"f"])]
    for shape, ages, genders in (([], [0, -1], [b"f"] * 2), ([1], [[0], [-1]], [[b"f"]] * 2)):
        features = {
            "age": tf.FixedLenFeature(shape, dtype=tf.int64, default_value=-1),
            "gender": tf.FixedLenFeature(shape, dtype=tf.string),
        }
        found = tf.parse_example(serialized, features)
        assert found["age"].get_shape() == [2, *shape]
        equal(value(found["age"]), ages)
        equal(value(found["gender"]), genders)
    empty = tf.parse_example([example(age=[], gender=[b"f"])], features)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Values size: 0"):
        value(empty["age"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="gender"):
        value(tf.parse_example([example(age=[0])], features)["gender"])


def test_defaults_and_sequences():
    with pytest.raises(
        (TypeError, ValueError), match=r"Expected int64, got 'words' of type 'str' instead\."
    ):
        tf.parse_example(
            [example()], {"x": tf.FixedLenFeature([], tf.int64, default_value="words")}
        )
    serialized = [example(x=[1, 2, 3]), example(x=[4]), example()]
    padded = tf.parse_example(
        serialized, {"x": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
    )
    equal(value(padded["x"]), [[1, 2, 3], [4, 0, 0], [0, 0, 0]])
    for wrong in ({"x": 3}, {}, {"x": tf.FixedLenFeature([], None)},
                  {"x": tf.FixedLenSequenceFeature([], tf.int64)}):  # fmt: skip
        with pytest.raises(
            ValueError,
            match=r"Invalid feature x:3\.|Missing type for feature x\.|"
            r"Missing: features was \{\}\.|Unsupported:",
        ):
            tf.parse_example(serialized, wrong)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Name: <unknown>, Key: x, Index: 0\.  Data types don't match\.",
    ):
        value(tf.parse_example([example(x=[b"word"])], {"x": tf.VarLenFeature(tf.int64)})["x"])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Could not parse example input, value: '\\xff'"
    ):
        value(tf.parse_example([b"\xff"], {"x": tf.VarLenFeature(tf.int64)})["x"])


def test_a_single_example():
    found = value(
        tf.parse_single_example(
            example(a=[1.0, 2.0], b=[5, 6, 7]),
            {"a": tf.FixedLenFeature([2], tf.float32), "b": tf.VarLenFeature(tf.int64)},
        )
    )
    equal(found["a"], [1, 2])
    holds(found["b"], [[0], [1], [2]], [5, 6, 7], [3])
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.parse_single_example([example()], {"a": tf.VarLenFeature(tf.int64)})
    with pytest.raises(ValueError, match=r"Missing features\."):
        tf.parse_single_example(example(), {})


def test_examples_as_json():
    texts = [
        json.dumps({"features": {"feature": {"a": {"floatList": {"value": [1.5, 2]}}}}}),
        json.dumps({"features": {"feature": {"b": {"int64List": {"value": ["7"]}}}}}),
    ]
    binary = tf.decode_json_example(texts)
    assert binary.get_shape() == [2]
    features = {"a": tf.VarLenFeature(tf.float32), "b": tf.VarLenFeature(tf.int64)}
    found = value(tf.parse_example(binary, features))
    holds(found["a"], [[0, 0], [0, 1]], [1.5, 2], [2, 2])
    holds(found["b"], [[1, 0]], [7], [2, 1])
    assert value(tf.decode_json_example([[texts[0]]])).shape == (1, 1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(tf.decode_json_example("{no json"))


def test_scalars_of_strings_go_on_to_other_ops():
    features = tf.parse_single_example(
        example(raw=[b"\x01\x02"]), {"raw": tf.FixedLenFeature([], tf.string)}
    )
    equal(value(tf.decode_raw(features["raw"], tf.uint8)), [1, 2])
