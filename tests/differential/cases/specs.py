# case: networks
specs = tf.contrib.specs
for spec in (
    "net = Cs(64, 5) | Relu",
    "net = Cr(8, [3, 3]) | Mp([2, 2])",
    "net = (Cr(4, 3) | Mp(2))**2",
    "net = Conc(3, Cr(4, 3), Cs(5, 3))",
    "net = Cr(4, 3) + Cr(4, 3)",
    "net = Flat | Fr(3) | Ft(2) | Fl(4) | Fm(5) | Fx(6)",
    "net = Ct(3, 3) | Cl(2, 2) | Cm(2, 2) | Cx(2, 2)",
    "net = Dws(3) | Dwm(2) | Idx() | Id",
    "net = Lrn | Bn | Ap([2, 2])",
    "net = Squeeze | Expand(0) | Transpose([0, 2, 1, 3]) | Reshape([-1, 5])",
    "net = Sig | Tanh | Smax | Do(0.5)",
    "a = Cr(5, 3)\nnet = a | a",
):
    with tf.Graph().as_default():
        y = specs.create_net(spec, tf.constant(np.ones([1, 18, 19, 5], np.float32)))
        print(y.name, y.shape.as_list(), [v.op.name for v in tf.global_variables()])
        print(specs.tf_structure(y))
# case: summaries
tf.contrib.specs.tf_spec_summary("net = Cr(4,3) | Flat | Fs(2)", input_shape=(1, 8, 8, 1))
tf.contrib.specs.tf_spec_print("net = Cr(4,3) | Flat | Fs(2)", input_shape=(1, 8, 8, 1))
print(tf.contrib.specs.tf_spec_structure("net = Var('v', shape=[3]) | Relu", input_shape=(1,)))
y = tf.contrib.specs.create_net("net = Cr(4,3)", tf.ones([1, 8, 8, 1]))
print(list(tf.contrib.specs.tf_parameter_iter(y)), tf.contrib.specs.tf_num_params(y))
# case: random parameters
import random

specs = tf.contrib.specs
random.seed(5)
print([specs.Li(1, 4) for _ in range(12)], [specs.Ui(0, 4) for _ in range(12)])
print([round(specs.Nt(0, 2, 0.5), 3) for _ in range(5)], round(specs.Lf(1, 2), 5))
print(round(specs.Uf(), 5), sorted(specs.eval_params("a = 3; b = Li(4, 4) + cos(0)").items()))
# case: functions
specs = tf.contrib.specs
add = specs.Callable(lambda x: x + 1)
print((add | specs.Callable(lambda x: x * 2)).funcall(3), (add**3).funcall(3), (add * add).funcall(3))
taken = specs.Function(lambda *args, **options: (args, options), 1, 2, x=3)
print(taken.funcall(9), taken(4, y=5).funcall(9), specs.Function(max)(_1=5, _0=7).funcall(9))
print(specs.get_positional([1, 2], {"_0": 3, "a": 1}, kw_overrides=True))
print(specs.External("math", "sqrt").funcall(9), specs.Import("import math; f = math.sqrt").funcall(4))
print(specs.eval_spec("a = 3; b = a + 1", {"q": 1}))
# case: no network
tf.contrib.specs.create_net("x = 3", tf.ones([1]))
# case: a keyword
tf.contrib.specs.create_net("import os; net = Id", tf.ones([1]))
# case: a quoted keyword
tf.contrib.specs.check_keywords('net = "import"')
# case: an unknown layer
tf.contrib.specs.create_net("net = Fs(foo)", tf.ones([1]))
# case: no function
tf.contrib.specs.Function(3)
# case: no function in statements
tf.contrib.specs.Import("g = 3")
