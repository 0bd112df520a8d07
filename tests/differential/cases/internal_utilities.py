# case: sets and dicts of objects
from tensorflow.python.util import object_identity
class E(object):
    def __eq__(self, o): return True
    def __hash__(self): return 1
a,b=E(),E()
d=object_identity.ObjectIdentityDictionary(); d[a]=1; d[b]=2; print(len(d),d[a],d[b],a in d,E() in d,[x is a for x in d])
s=object_identity.ObjectIdentitySet([a,b,a]); print(len(s), a in s, len(s.difference([a])), len(s.intersection([b,E()]))); s.discard(a); print(len(s))
w = object_identity.ObjectIdentityWeakSet([a])
t = E()
w.add(t)
print(len(w))
del t
import gc
gc.collect()
print(len(w))
# case: dispatch of functions by type
from tensorflow.python.util import dispatch
@dispatch.add_dispatch_support
def f(x,y=1):
    if not isinstance(x,int): raise ValueError('no')
    return x+y
class C(object): pass
@dispatch.dispatch_for_types(f,C)
def g(x,y=1): return 'C'
print(f(1),f(C()),f(C(),y=2))
try: f('x')
except ValueError as e: print(e)
try: dispatch.dispatch_for_types(len,C)(g)
except AssertionError as e: print('AssertionError')
# case: locks of groups
from tensorflow.python.util import lock_util
l=lock_util.GroupLock(2)
with l.group(0):
    l.acquire(0); l.release(0)
for n in (lambda: lock_util.GroupLock(0), lambda: l.group(2), lambda: l.acquire(-1)):
    try: n()
    except ValueError as e: print(e)
# case: ops that others depend on
from tensorflow.python.ops import op_selector
from tensorflow.python.framework import op_def_registry
x=tf.constant(1.,name='x'); i=tf.constant(1,name='i'); y=tf.cast(i,tf.float32,name='c')*x
with tf.control_dependencies([tf.no_op(name='n')]): z=tf.add(y,x,name='z')
for kw in ({}, dict(inclusive=False), dict(control_inputs=True), dict(only_differentiable=True), dict(stop_at_ts=[y])):
    print(sorted(o.name for o in op_selector.get_backward_walk_ops([z.op],**kw)))
print(op_def_registry.get_registered_ops()['Add'].name, [o.name for o in op_selector.graph_inputs(z.op)], op_selector.is_differentiable(i.op))
# case: names of types and summaries
from tensorflow.python.framework import constant_op, dtypes, ops, tensor_like
from tensorflow.python.ops import summary_op_util
show(sorted(dtypes._TYPE_TO_STRING.items()))
show(summary_op_util.clean_tag("/a b"), issubclass(ops.Tensor, object), tensor_like._TensorLike.__name__)
with summary_op_util.summary_scope("x", "family") as (tag, scope):
    show(tag, scope)
summary_op_util.collect(tf.constant(1, name="c"), None, ["mine"])
show(tf.get_collection("mine"))
show(constant_op._tensor_shape_tensor_conversion_function(tf.TensorShape([2, 3])))
