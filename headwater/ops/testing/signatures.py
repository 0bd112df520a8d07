"""The ops of TensorFlow's own unit tests: signatures of every kind, most of them without a kernel.

Programs reach their functions as ``tensorflow.python.framework.test_ops``.
"""

from __future__ import annotations

from headwater.graph import register_op, shapes


def _register(name: str, inputs: str = "", outputs: str = "", attrs: str = "") -> None:
    register_op(name, inputs=inputs, outputs=outputs, attrs=attrs, shape=shapes.unknown)


_register("A", outputs="out: float")
_register("Attr", attrs="a: int")
_register("AttrBool", attrs="a: bool")
_register("AttrBoolList", attrs="a: list(bool)")
_register("AttrDefault", attrs="a: string = 'banana'")
_register("AttrEmptyListDefault", attrs="a: list(float) = []")
_register("AttrEnum", attrs="a: {'apples', 'oranges'}")
_register("AttrEnumList", attrs="a: list({'apples', 'oranges'})")
_register("AttrFloat", attrs="a: float")
_register("AttrListDefault", attrs="a: list(int) = [5, 15]")
_register("AttrListMin", attrs="a: list(int) >= 2")
_register(
    "AttrListTypeDefault", inputs="a: N * T, b: N * T", attrs="T: type = DT_INT32, N: int >= 1"
)
_register("AttrMin", attrs="a: int >= 5")
_register("AttrPartialShape", attrs="a: shape")
_register("AttrPartialShapeList", attrs="a: list(shape)")
_register("AttrShape", attrs="a: shape")
_register("AttrShapeList", attrs="a: list(shape)")
_register("AttrTypeDefault", inputs="a: T", attrs="T: type = DT_INT32")
_register("B", outputs="out: float")
_register("Binary", inputs="a: T, b: T", outputs="out: T", attrs="T: type")
_register(
    "ComplexStruct",
    outputs="a: n_a * int32, b: n_b * int64, c: t_c",
    attrs="n_a: int >= 0, n_b: int >= 0, t_c: list(type) >= 0",
)
_register("CopyOp", inputs="a: T", outputs="b: T", attrs="T: type")
_register(
    "DefaultAttrs",
    attrs="string_val: string = 'abc', string_list_val: list(string) = ['abc', ''], int_val: "
    "int = 123, int_list_val: list(int) = [1, 2, 3], float_val: float = 10.0, "
    "float_list_val: list(float) = [10.0], bool_val: bool = true, bool_list_val: "
    "list(bool) = [true, false], type_val: type = DT_INT32, type_list_val: list(type) = "
    "[DT_INT32, DT_FLOAT], shape_val: shape = [2, 1], shape_list_val: list(shape) = [[], "
    "[1]], tensor_val: tensor = int32 1, tensor_list_val: list(tensor) = [int32 1]",
)
_register("FiveFloatOutputs", outputs="a: float, b: float, c: float, d: float, e: float")
_register("FloatInput", inputs="a: float")
_register("FloatOutput", outputs="a: float")
_register("FloatOutputStringOutput", outputs="a: float, b: string")
_register("Foo1", inputs="a: float, b: int32, c: int32", outputs="d: float, e: int32")
_register("Foo2", inputs="a: float, b: string, c: string", outputs="d: float, e: int32")
_register("Foo3", inputs="a: float, b: string, c: float", outputs="d: float, e: int32")
_register("FuncAttr", attrs="f: func")
_register("FuncListAttr", attrs="f: list(func)")
_register(
    "InPolymorphicTwice", inputs="a: N * T, b: M * T", attrs="T: type, N: int >= 0, M: int >= 0"
)
_register("Int64Output", outputs="out: int64")
_register("IntAttr", outputs="out: int64", attrs="foo: int = 1")
_register("IntInput", inputs="a: int32")
_register("IntInputFloatInput", inputs="a: int32, b: float")
_register("IntInputIntOutput", inputs="a: int32", outputs="b: int32")
_register("IntOutput", outputs="a: int32")
_register("IntOutputFloatOutput", outputs="a: int32, b: float")
_register("ListInput", inputs="a: N * T", attrs="N: int >= 1, T: type")
_register("ListOutput", outputs="a: T", attrs="T: list(type) >= 1")
_register("MixedStruct", outputs="a: n_a * int32, b: float", attrs="n_a: int >= 0")
_register("NInPolymorphicTwice", inputs="a: N * T, b: N * T", attrs="T: type, N: int >= 0")
_register("NInTwice", inputs="a: N * int32, b: N * string", attrs="N: int >= 0")
_register("NInTwoTypeVariables", inputs="a: N * S, b: N * T", attrs="S: type, T: type, N: int >= 0")
_register("NIntsIn", inputs="a: N * int32", attrs="N: int >= 2")
_register("NIntsOut", outputs="a: N * int32", attrs="N: int >= 2")
_register("NIntsOutDefault", outputs="a: N * int32", attrs="N: int >= 2 = 3")
_register("NPolymorphicIn", inputs="a: N * T", attrs="T: type, N: int >= 2")
_register("NPolymorphicOut", outputs="a: N * T", attrs="T: type, N: int >= 2")
_register("NPolymorphicOutDefault", outputs="a: N * T", attrs="T: type = DT_BOOL, N: int >= 2 = 2")
_register("NPolymorphicRestrictIn", inputs="a: N * T", attrs="T: {string, bool}, N: int >= 2")
_register("NPolymorphicRestrictOut", outputs="a: N * T", attrs="T: {string, bool}, N: int >= 2")
_register("None")
_register("OpWithDefaultAttr", outputs="a: int32", attrs="default_float: float = 123.0")
_register("OpWithFutureDefaultAttr")
_register("OutT", outputs="a: T", attrs="T: type")
_register("OutTypeList", outputs="out: T", attrs="T: list(type) >= 0")
_register("OutTypeListRestrict", outputs="out: t", attrs="t: list({string, bool}) >= 1")
_register("Polymorphic", inputs="a: T", outputs="out: T", attrs="T: type")
_register("PolymorphicDefaultOut", outputs="out: T", attrs="T: type = DT_STRING")
_register("PolymorphicOut", outputs="out: T", attrs="T: type")
_register("RefIn", inputs="a: Ref(T)", attrs="T: type")
_register("RefInputFloatInput", inputs="a: Ref(float), b: float")
_register("RefInputFloatInputIntOutput", inputs="a: Ref(float), b: float", outputs="c: int32")
_register("RefInputIntInput", inputs="a: Ref(int32), b: int32")
_register("RefOut", outputs="a: Ref(T)", attrs="T: type")
_register("RefOutput", outputs="a: Ref(int32)")
_register("RefOutputFloatOutput", outputs="a: Ref(float), b: float")
_register("ReservedAttr", attrs="range: int")
_register("ReservedInput", inputs="input: int32")
_register("Restrict", inputs="a: T", outputs="out: T", attrs="T: {string, bool}")
_register("Simple", inputs="a: int32", outputs="out: float")
_register("SimpleStruct", outputs="a: n_a * int32", attrs="n_a: int >= 0")
_register("StringListAttr", attrs="a: list(string), b: string")
_register("TestStringOutput", inputs="input: float", outputs="output1: float, output2: string")
_register("TwoFloatInputs", inputs="a: float, b: float")
_register("TwoFloatInputsFloatOutput", inputs="a: float, b: float", outputs="c: float")
_register("TwoFloatInputsIntOutput", inputs="a: float, b: float", outputs="c: int32")
_register("TwoFloatOutputs", outputs="a: float, b: float")
_register("TwoIntInputs", inputs="a: int32, b: int32")
_register("TwoIntOutputs", outputs="a: int32, b: int32")
_register("TwoRefsIn", inputs="a: Ref(T), b: Ref(T)", attrs="T: type")
_register("TypeList", inputs="a: T", attrs="T: list(type) >= 0")
_register("TypeListRestrict", inputs="a: T", attrs="T: list({string, bool}) >= 1")
_register("TypeListTwice", inputs="a: T, b: T", attrs="T: list(type) >= 0")
_register("Unary", inputs="a: T", outputs="b: T", attrs="T: type")
