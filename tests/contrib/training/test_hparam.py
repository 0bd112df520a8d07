"""HParams: parsing, types, JSON and protos, with the values and errors of TensorFlow 1.15.5."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf

HParams = tf.contrib.training.HParams
parse_values = tf.contrib.training.parse_values
TYPES = {"a": int, "b": float, "c": str, "d": bool, "e": int, "f": str}


def hparams():
    return HParams(a=1, b=2.5, c="x", d=True, e=[1, 2, 3], f=["p", "q"], g=None)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", {}),
        ("a=3,b=4,c=hello world", {"a": 3, "b": 4.0, "c": "hello world"}),
        ("a = -7 , b = 1e-3", {"a": -7, "b": 0.001}),
        ("c=x=y", {"c": "x=y"}),
        ("c=", {"c": ""}),
        ("d=false,a=3,", {"d": False, "a": 3}),
        ("d=0", {"d": False}),
        ("e=[4,5],f=[x y]", {"e": [4, 5], "f": ["x", "y"]}),
        ("e=[]", {"e": []}),
        ("e[1]=7,e[ 2 ]=3", {"e": {1: 7, 2: 3}}),
    ],
)
def test_values_are_parsed(text, expected):
    assert parse_values(text, TYPES) == expected


@pytest.mark.parametrize(
    "text, message",
    [
        ("a=", "Could not parse hparam 'a' of type 'int' with value '' in a="),
        ("a=1.5", "Could not parse hparam 'a' of type 'int' with value '1.5' in a=1.5"),
        ("d=maybe", "Could not parse hparam 'd' of type 'bool' with value 'maybe' in d=maybe"),
        ("e[1]=7,e[1]=2", "Multiple assignments to variable 'e[1]' in e[1]=7,e[1]=2"),
        ("a=1,a=2", "Multiple assignments to variable 'a' in a=1,a=2"),
        ("a=1,a[0]=2", "Multiple assignments to variable 'a' in a=1,a[0]=2"),
        ("e=[1,2", "Malformed hyperparameter value: e=[1,2"),
        ("a=3,,b=4", "Malformed hyperparameter value: ,b=4"),
        ("1a=3", "Malformed hyperparameter value: 1a=3"),
        ("e[1]=[3]", "Assignment of a list to a list index."),
        ("zz=3", "Unknown hyperparameter type for zz"),
    ],
)
def test_texts_that_cannot_be_parsed(text, message):
    with pytest.raises(ValueError) as error:
        parse_values(text, TYPES)
    assert str(error.value) == message


def test_unknown_names_are_left_out_when_asked():
    assert parse_values("zz=3,a=1", TYPES, ignore_unknown=True) == {"a": 1}


def test_parse_sets_attributes_and_returns_the_object():
    params = hparams()
    assert params.parse("a=3,e=[9]") is params
    assert (params.a, params.e, params.b) == (3, [9], 2.5)
    with pytest.raises(ValueError, match="Must pass a list for multi-valued parameter: e"):
        params.parse("e=4")
    with pytest.raises(ValueError, match="Must not pass a list for single-valued parameter: a"):
        params.parse("a=[1,2]")


@pytest.mark.parametrize(
    "name, value", [("a", 2.5), ("a", True), ("b", "1"), ("c", None), ("d", 1), ("e", [1.5])]
)
def test_values_of_other_types_are_refused(name, value):
    with pytest.raises(ValueError, match=f"Could not cast hparam '{name}' of type"):
        hparams().set_hparam(name, value)


def test_integers_become_floats():
    params = hparams()
    params.set_hparam("b", 3)
    assert repr(params.b) == "3.0"


def test_names_that_cannot_be_added():
    for name in ("a", "parse"):
        with pytest.raises(ValueError, match=f"Hyperparameter name is reserved: {name}"):
            hparams().add_hparam(name, 3)
    with pytest.raises(ValueError, match="Multi-valued hyperparameters cannot be empty: z"):
        hparams().add_hparam("z", [])


def test_removed_hyperparameters():
    params = hparams()
    params.del_hparam("a")
    params.del_hparam("nothing")
    assert "a" not in params and "b" in params
    assert not hasattr(params, "a")


def test_get_checks_the_default():
    params = hparams()
    assert params.get("q", 4) == 4
    assert params.get("a", 2) == 1
    with pytest.raises(ValueError) as error:
        params.get("e", ["x"])
    assert str(error.value) == (
        "Hparam 'e' of type 'list<<class 'int'>>' is incompatible with default=['x']. "
        "Could not cast hparam 'e' of type '<class 'int'>' from value 'x'"
    )


def test_text_forms():
    params = HParams(a=1, b=[2.5], c="x")
    assert str(params) == "a=1,b=[2.5],c=x"
    assert repr(params) == "HParams([('a', 1), ('b', [2.5]), ('c', 'x')])"
    assert params.to_json(sort_keys=True) == '{"a": 1, "b": [2.5], "c": "x"}'
    assert params.parse_json('{"a": 5, "b": [9]}').values() == {"a": 5, "b": [9.0], "c": "x"}


@given(
    st.integers(-(2**63), 2**63 - 1),
    st.text(),
    st.booleans(),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4),
)
def test_protos_keep_values(number, text, flag, numbers):
    params = HParams(number=number, text=text, flag=flag, numbers=numbers, half=[0.5])
    assert HParams.from_proto(params.to_proto()).values() == params.values()


def test_protos_that_cannot_be_made_or_taken():
    with pytest.raises(ValueError, match="Unsupported parameter type: <class 'NoneType'>"):
        hparams().to_proto()
    with pytest.raises(ValueError, match="mutually exclusive"):
        HParams(hparam_def=HParams(a=1).to_proto(), a=3)


def test_a_meta_graph_keeps_hyperparameters():
    tf.add_to_collection("hparams", HParams(a=1, b=["x"]))
    meta_graph = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta_graph)
        assert tf.get_collection("hparams")[0].values() == {"a": 1, "b": ["x"]}
