# case: nodes by the name of the op type
from tensorflow.python.framework import test_ops
lib = test_ops._op_def_lib
def apply(*args, **kw):
    try:
        show(lib.apply_op(*args, **kw))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
def tensor(t, name="in"):
    return lib.apply_op("OutT", T=t, name=name)
apply("Simple", a=3)
apply("Simple", a=4)
apply("Simple", a=5, name="named")
apply("Simple", a=[[1, 2, 3], [4, 5, 6]], name="two_d")
apply("Simple", a="Bad string")
apply("Simple", a=tensor(tf.string))
apply("Simple", a=6, extra="bogus")
apply("Simple", a=6, extra1="bogus", extra2="also_bogus")
apply("Simple")
apply("Simple", wrong=7)
apply("NoSuchOp", a=1)
apply("ReservedInput", input=7, name="x")
apply("Polymorphic", a=7, name="p")
apply("Polymorphic", a="s", name="q")
apply("Polymorphic", a=["s", "t", "u"], name="r")
apply("Polymorphic", a="s", T=tf.string)
apply("Polymorphic", a="s", T=tf.bool)
apply("Polymorphic", a=None)
apply("Binary", a=8, b=9, name="b")
apply("Binary", a="left", b="right", name="c")
apply("Binary", a="left", b=12)
apply("Binary", a=tensor(tf.string), b=tensor(tf.int32))
apply("Binary", a=1.5, b=tensor(tf.int32))
apply("Restrict", a="foo", name="g")
apply("Restrict", a=True, name="h")
apply("Restrict", a=17)
apply("TypeList", a=["z"], name="z")
apply("TypeList", a=[True, 12], name="y")
apply("TypeList", a=[], name="empty")
apply("TypeList", a=17)
apply("TypeList", a=[17, tensor(tf.bool)])
apply("TypeListTwice", a=["z", True], b=["y", False], name="z")
apply("TypeListTwice", a=[], b=[], name="e")
apply("TypeListTwice", a=["z", True], b=["y", 3], name="z")
apply("TypeListTwice", a=["z"], b=[])
apply("OutTypeList", T=[tf.float32], name="x")
apply("OutTypeList", T=[tf.float32, tf.bool], name="w")
apply("OutTypeList", T=[], name="empty")
apply("OutTypeList", T=tf.int32)
apply("TypeListRestrict", a=["foo", False], name="g")
apply("TypeListRestrict", a=[True, 12])
apply("OutTypeListRestrict", t=[tf.bool, tf.string], name="g")
apply("OutTypeListRestrict", t=[tf.string, tf.int32])
apply("RefIn", a=3)
apply("RefIn", a=lib.apply_op("RefOut", T=tf.bool, name="i"), name="j")
apply("TwoRefsIn", a=lib.apply_op("RefOut", T=tf.int32), b=2)
apply("NIntsOut", N=1)
apply("NIntsOut", N=[3])
# case: attrs of every kind
from tensorflow.python.framework import test_ops
lib = test_ops._op_def_lib
def apply(*args, **kw):
    try:
        op = lib.apply_op(*args, **kw)
        op = op if hasattr(op, "node_def") else op[0].op if isinstance(op, list) else op.op
        print(op.type, " ".join(str(dict((k, str(op.node_def.attr[k])) for k in sorted(op.node_def.attr))).split()))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
for value in (12, "bad", 1.5, True, [12], None, np.int32(3), np.int64(2 ** 40)):
    apply("Attr", a=value)
for value in (1.5, "bad", [1.5], np.float32(0.5)):
    apply("AttrFloat", a=value)
for value in (True, False, 0, 1, [], "x", None):
    apply("AttrBool", a=value)
for value in ([True, False], [0], True, []):
    apply("AttrBoolList", a=value)
for value in (12, 5, 2):
    apply("AttrMin", a=value)
for value in ([1, 2], [17], [], 3):
    apply("AttrListMin", a=value)
for value in ("oranges", b"apples", "invalid", 12):
    apply("AttrEnum", a=value)
for value in (["oranges", "apples"], ["oranges", "peaches"], "apples"):
    apply("AttrEnumList", a=value)
for value in ([5], (4, 3, 2), [1, 2], tf.TensorShape([3]), 5, "bad", [None, 2], tf.TensorShape(None), None, []):
    apply("AttrShape", a=value)
for value in ([[3, 2], [6, 5, 4]], [], [[None]], [3], 3):
    apply("AttrShapeList", a=value)
for value in (None, [None, 3], [4], tf.TensorShape(None), -1, [-1]):
    apply("AttrPartialShape", a=value)
for value in ([None, [None, 2]], [[4], None]):
    apply("AttrPartialShapeList", a=value)
apply("AttrDefault")
apply("AttrDefault", a="kiwi")
apply("AttrListDefault")
apply("AttrListDefault", a=[3])
apply("AttrListDefault", a=[])
apply("AttrEmptyListDefault")
apply("AttrEmptyListDefault", a=[3.5])
apply("ReservedAttr", range=7)
apply("AttrTypeDefault", a=[1, 2])
apply("AttrTypeDefault", a=[])
apply("AttrTypeDefault", a=[1.5])
apply("AttrListTypeDefault", a=[1.5], b=[2])
apply("AttrListTypeDefault", a=[], b=[])
apply("AttrListTypeDefault", a=[1], b=[2])
apply("PolymorphicOut", T=tf.bool)
apply("PolymorphicOut")
apply("PolymorphicOut", T="int32")
apply("PolymorphicOut", T=3)
apply("PolymorphicOut", T="x")
apply("PolymorphicDefaultOut")
apply("PolymorphicDefaultOut", T=tf.bool)
# case: lists of equal length and type
from tensorflow.python.framework import test_ops
lib = test_ops._op_def_lib
def apply(*args, **kw):
    try:
        show(lib.apply_op(*args, **kw))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
def tensor(t, name="in"):
    return lib.apply_op("OutT", T=t, name=name)
apply("NIntsIn", a=[1, 2])
apply("NIntsIn", a=[5, 4, 3, 2, 1])
apply("NIntsIn", a=["foo", "bar"])
apply("NIntsIn", a=[tensor(tf.string), tensor(tf.string)])
apply("NIntsIn", a=[99])
apply("NIntsIn", a=[38, "bar"])
apply("NIntsIn", a=[38, tensor(tf.string)])
apply("NIntsIn", a=17)
apply("NPolymorphicIn", a=[1, 2])
apply("NPolymorphicIn", a=["foo", "bar"])
apply("NPolymorphicIn", a=[1, tensor(tf.string)])
apply("NPolymorphicIn", a=[tensor(tf.int32), tensor(tf.string)])
apply("NPolymorphicIn", a=[38, "bar"])
apply("NPolymorphicIn", a=["foo", 12])
apply("NPolymorphicIn", a=[38, lib.apply_op("RefOut", T=tf.int32)])
apply("NPolymorphicIn", a=17)
apply("NPolymorphicIn", a=[99])
apply("NPolymorphicRestrictIn", a=["foo", "bar"])
apply("NPolymorphicRestrictIn", a=[False, True, False])
apply("NPolymorphicRestrictIn", a=[1, 2])
apply("NInTwice", a=[1, 2], b=["one", "two"])
apply("NInTwice", a=[], b=[])
apply("NInTwice", a=[1, 2, 3], b=["too short"])
apply("NInPolymorphicTwice", a=[1, 2], b=[3, 4])
apply("NInPolymorphicTwice", a=[1, 2, 3], b=[5])
apply("NInPolymorphicTwice", a=[1, 2], b=["one", "two"])
apply("NInPolymorphicTwice", a=[tensor(tf.int32)], b=[tensor(tf.string)])
apply("NInTwoTypeVariables", a=[1, 2], b=[True, False])
apply("NInTwoTypeVariables", a=[1, 2], b=[3, 4])
apply("NInTwoTypeVariables", a=[1, 2, 3], b=[5])
apply("InPolymorphicTwice", a=[8], b=[3, 4, 5])
apply("InPolymorphicTwice", a=[8], b=[])
apply("InPolymorphicTwice", a=[], b=[3, 4])
apply("InPolymorphicTwice", a=[], b=[])
apply("InPolymorphicTwice", a=[1, 2], b=["one", "two"])
apply("InPolymorphicTwice", a=[tensor(tf.int32)], b=[tensor(tf.string)])
apply("NIntsOut", N=2)
apply("NIntsOut", N=5)
apply("NIntsOut", N="three")
apply("NIntsOutDefault", N=None)
apply("NIntsOutDefault", N=2)
apply("NPolymorphicOut", N=2, T=tf.int32)
apply("NPolymorphicOut", N=3, T=[tf.string])
apply("NPolymorphicOut", N=1, T=tf.string)
apply("NPolymorphicOutDefault", N=None, T=None)
apply("NPolymorphicOutDefault", N=3, T=None)
apply("NPolymorphicOutDefault", N=None, T=tf.int32)
apply("NPolymorphicRestrictOut", N=3, T=tf.bool)
apply("NPolymorphicRestrictOut", N=3, T=tf.int32)
apply("SimpleStruct", n_a=3)
apply("MixedStruct", n_a=2)
apply("ComplexStruct", n_a=0, n_b=1, t_c=[tf.float32, tf.bool])
apply("ComplexStruct", n_a=0, n_b=0, t_c=[])
# case: graphs of the inputs
from tensorflow.python.framework import test_ops
lib = test_ops._op_def_lib
with tf.Graph().as_default() as g:
    a = tf.constant(1, name="a")
with tf.Graph().as_default() as g2:
    b = tf.constant(1, name="b")
print(lib.apply_op("Simple", a=a).graph is g)
print(lib.apply_op("Binary", a=a, b=3).graph is g)
for call in (lambda: lib.apply_op("Binary", a=a, b=b), lambda: lib.apply_op("NIntsIn", a=[a, b])):
    try:
        call()
    except ValueError as error:
        print(error)
with tf.name_scope("s"):
    print(lib.apply_op("Binary", a=3, b=3, name="n").name, [op.name for op in tf.get_default_graph().get_operations()])
