# case: TensorSpec
T = tf.TensorSpec
def attempt(f, *args, **kwargs):
    try:
        print(f(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, str(error)[:160])
a, b, c = T([2, None], tf.float32, "a"), T([2, 3]), T(None)
show(repr(a), repr(b), repr(c), a == T([2, None], tf.float32, "a"), a == b, a != b, hash(a) == hash(T([2, None], tf.float32, "a")))
show(a.name, a.shape, a.dtype, a.value_type is tf.Tensor)
for other in (b, tf.ones([2, 3]), tf.ones([3]), tf.ones([2, 3], tf.int32), 3, [[1.0, 2.0], [3.0, 4.0]]):
    show(a.is_compatible_with(other))
for other in (b, T([3, 3]), T([2, 3], tf.int32), T([3])):
    attempt(a.most_specific_compatible_type, other)
attempt(T.from_spec, a)
attempt(T.from_spec, a, name="z")
attempt(T.from_tensor, tf.constant(1.0, name="q"))
attempt(T.from_tensor, tf.constant(1.0, name="q"), name="n")
attempt(T.from_tensor, 3)
attempt(T, [1], None)
attempt(T, "x")
import pickle
show(pickle.loads(pickle.dumps(a)) == a, a._batch(5), a._unbatch(), a._flat_tensor_specs, a._to_legacy_output_types(), a._to_legacy_output_shapes())
# case: SparseTensorSpec
def attempt(f, *args, **kwargs):
    try:
        print(f(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, str(error)[:160])
S = tf.SparseTensorSpec
s, sp = S([2, 3], tf.int32), tf.SparseTensor([[0, 0]], [1], [2, 3])
show(repr(s), repr(S()), s == S([2, 3], tf.int32), hash(s) == hash(S([2, 3], tf.int32)), s.shape, s.dtype, s.value_type is tf.SparseTensor, s._component_specs)
show(s.is_compatible_with(sp), s.is_compatible_with(S([2, 4], tf.int32)), s.is_compatible_with(S([2, 3])))
attempt(s.most_specific_compatible_type, S([2, 4], tf.int32))
for value in (sp, tf.SparseTensorValue([[0, 0]], [1], [2, 3]), 3):
    attempt(S.from_value, value)
show(s._to_components(sp), s._batch(5), s._unbatch())
# case: IndexedSlicesSpec
def attempt(f, *args, **kwargs):
    try:
        print(f(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, str(error)[:160])
I = tf.IndexedSlicesSpec
i = I([2, 3])
show(repr(i), i == I([2, 3]), i.value_type is tf.IndexedSlices, i._component_specs, repr(I(dense_shape_dtype=tf.int64, indices_shape=[2])))
slices = tf.IndexedSlices(tf.ones([1, 3]), tf.constant([0], tf.int64), tf.constant([2, 3]))
show(i.is_compatible_with(slices), I(None, tf.float32, tf.int64, tf.int32, [1]).is_compatible_with(slices))
attempt(i.most_specific_compatible_type, I([3, 3]))
attempt(i.most_specific_compatible_type, tf.TensorSpec([2]))
# case: specifications of values
from tensorflow.python.framework import composite_tensor, tensor_spec, type_spec
sp = tf.SparseTensor([[0, 0]], [1], [2, 3])
slices = tf.IndexedSlices(tf.ones([1, 3]), tf.constant([0], tf.int64))
for value in (tf.constant(1.0), sp, slices, 3, [1.0], tf.Variable(1.0), tf.SparseTensorValue([[0, 0]], [1], [2, 3]), np.zeros([2], np.int64)):
    print(type_spec.type_spec_from_value(value))
try:
    type_spec.type_spec_from_value(object())
except TypeError as error:
    print(str(error)[:30])
show([isinstance(x, composite_tensor.CompositeTensor) for x in (sp, slices, tf.constant(1))])
show(composite_tensor.replace_composites_with_components([sp, 3]))
B = tensor_spec.BoundedTensorSpec
b = B([2], tf.int32, 0, 5, name="b")
show(repr(b), b.minimum, b.maximum, b == B([2], tf.int32, 0, 5), B.from_spec(b) == b)
try:
    B([2], tf.int32, [1, 2, 3], 5)
except ValueError as error:
    print(error)
try:
    B([2], tf.int32, None, 5)
except ValueError as error:
    print(error)
