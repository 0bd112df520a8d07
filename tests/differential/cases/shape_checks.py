# case: values of tensors and symbols
for make in (
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):(2,3)}),
    lambda: tf.debugging.assert_shapes([(tf.zeros([2,3]),(2,4))]),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):('N','Q'),tf.zeros([2,5]):('N','D')}),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):('N','Q'),tf.zeros([3,5]):('N','D')}),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):('N',)}),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):()}),
    lambda: tf.debugging.assert_shapes({tf.constant(1):()}),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):('N','N')}),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):(None,3)}),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):('.',3)}),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):('N',Ellipsis)}),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):'NQ'}),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):5}),
    lambda: tf.debugging.assert_shapes([]),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):('N',4)},message='hello'),
    lambda: tf.debugging.assert_shapes({tf.placeholder_with_default(np.zeros([2,3]),None):('N',3)}),
    lambda: tf.debugging.assert_shapes({tf.placeholder_with_default(np.zeros([2,3]),None):('N',4)}),
    lambda: tf.debugging.assert_shapes({tf.placeholder_with_default(np.zeros([2,3]),[None,3]):('N',3),tf.zeros([4,3]):('N',3)}),
    lambda: tf.debugging.assert_shapes({tf.placeholder_with_default(np.zeros([2,3]),None):('N',)}),
    lambda: tf.debugging.assert_shapes({tf.placeholder_with_default(np.zeros([2,3]),None):('N','Q'),tf.placeholder_with_default(np.zeros([3,3]),None):('N','Q')},data=[1],summarize=3,message='m',name='n'),
    lambda: tf.debugging.assert_shapes([(np.zeros([2,3]),(2,'N'))]),
    lambda: tf.debugging.assert_shapes({tf.zeros([2,3]):['N',3]}),
    lambda: tf.debugging.assert_shapes([([[1,2]],(1,'N')),([1,2],('N',))]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([2]),('*',2,2))]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([2]),('*',3))]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([2,3,4]),('*','N',4)),(tf.zeros([5,3]),('...','N'))]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([2,3,4]),(Ellipsis,'N',4)),(tf.zeros([5,2]),('...','N'))]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([2]),'*')]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([]),'*')]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([]),('N',)),(tf.zeros([3]),('N',))]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([]),(1,))]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([]),(3,))]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([3]),())]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([3]),'D')]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([3]),1.5)]),
    lambda: tf.debugging.assert_shapes([(tf.zeros([3]),(1.5,))]),
):
    try:
        with tf.Session() as s:
            show(s.run(make()))
    except (ValueError, tf.errors.OpError) as e:
        print(type(e).__name__, str(getattr(e, "message", e)).splitlines()[0].split("(array(")[0].split(" in (0")[0].split("PlaceholderWithDefault")[0].split("zeros")[0])
# case: nodes
x, y, z = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None, 4])
tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("N", 3)), (tf.zeros([2]), ("N",))])
tf.debugging.assert_shapes([(x, ("N", 3))])
tf.debugging.assert_shapes([(y, ("*", 3)), (z, ("N", "M")), (z, ("N", 4))], message="shapes", name="check")
nodes()
# case: shapes that are inferred
x = tf.placeholder(tf.float32, [2, 3]); y = tf.placeholder(tf.float32, [4, 2])
try:
    tf.matmul(x, y)
except ValueError as error:
    print(str(error).splitlines()[0])
print(tf.matmul(x, y, transpose_a=True, transpose_b=True).get_shape())
image = tf.placeholder(tf.float32, [None, None, 3])
print(image.get_shape())
image.set_shape([28, 28, 3])
image.set_shape([None, 28, None])
print(image.get_shape())
for shape in ([28, 28, 4], [28, 28], 3):
    try:
        image.set_shape(shape)
    except ValueError as error:
        print(error)
# case: algebra of shapes
S, D = tf.TensorShape, tf.Dimension
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
print(S([1, None]).merge_with([None, 2]), S(None).merge_with([1]), S([1]).concatenate([2, None]), S([1]).concatenate(None), S([1, None]).ndims, S(None).ndims, S([1, None]).dims, S(None).dims, S([1, None]).as_list(), S(7).as_list())
print(" ".join(str(S([1, None]).as_proto()).split()), S(S([3]).as_proto()), S([2, 3]).num_elements(), S([None, 3]).num_elements(), S(None).num_elements())
for a in (None, [None, None], [32, None], [32, 784]):
    print([S(a).is_compatible_with(b) for b in (None, [None, None], [32, None], [None, 784], [32, 784], [None], [32], [None, None, None], [32, None, 1], [64, None], [32, 1, 784])])
attempt(lambda: S(None).as_list())
attempt(lambda: S([1]).merge_with([2]))
attempt(lambda: S([1]).merge_with([1, 2]))
attempt(lambda: S(None).with_rank(2))
attempt(lambda: S([1]).with_rank(2))
attempt(lambda: S([1]).with_rank_at_least(2))
attempt(lambda: S([1, 2]).with_rank_at_most(1))
attempt(lambda: S([1]).assert_has_rank(2))
attempt(lambda: S([1]).assert_same_rank([1, 2]))
attempt(lambda: S([1]).assert_is_compatible_with([2]))
attempt(lambda: S([None]).assert_is_fully_defined())
attempt(lambda: S("x"))
attempt(lambda: S([-1]))
attempt(lambda: S([1, None])[0])
attempt(lambda: S([1, None, 3])[1:])
attempt(lambda: S([1, 2])[5])
attempt(lambda: S(None)[0])
attempt(lambda: S(None)[1:])
attempt(lambda: S(None)[1:3])
attempt(lambda: len(S([1, 2])))
attempt(lambda: len(S(None)))
attempt(lambda: list(S([1, 2])))
attempt(lambda: list(S(None)))
attempt(lambda: bool(S(None)) or bool(S([])))
attempt(lambda: [S([1]) == S([1]), S([1]) == [1], S([None]) == S([None]), S([1]) != S([2]), S(None) == S(None)])
attempt(lambda: S([None]) != S([1]))
attempt(lambda: [repr(S([1, None])), str(S([1, None])), repr(S(None)), str(S(None)), str(S([])), str(S([3]))])
for x in (D(3), D(None)):
    for y in (D(3), D(4), D(None), 3):
        attempt(lambda: [x + y, x - y, x * y, x // y, x % y, x < y, x >= y, x == y, x != y, x.is_compatible_with(y)])
        attempt(lambda: x.merge_with(y))
attempt(lambda: [D(3).value, D(None).value, int(D(3)), repr(D(3)), str(D(None)), hash(D(3)) == hash(3), range(D(3)), 2 + D(3), 2 * D(3), D(12) / 5 if False else None, 7 - D(3), 7 // D(2), 7 % D(4)])
attempt(lambda: D(3).assert_is_compatible_with(4))
attempt(lambda: D("x"))
attempt(lambda: D(-1))
attempt(lambda: D(1.5))
attempt(lambda: int(D(None)))
