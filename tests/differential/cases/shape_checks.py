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
