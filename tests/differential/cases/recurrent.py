"""Recurrences of tf.contrib.recurrent."""

# case: the last state and all states
from tensorflow.contrib import recurrent

def cell(theta, state, inputs):
    return [state[0] * theta[0] + inputs[0]], []

states, last = recurrent.Recurrent([tf.constant(2.0)], [tf.constant(1.0)], [tf.constant([1.0, 2.0, 3.0])], cell)
show(tf.Session().run([states, last]))

# case: structures are kept
from tensorflow.contrib import recurrent

def cell(theta, state, inputs):
    return {"v": state["v"] + inputs * state["p"], "p": state["p"] * theta}, []

start = {"v": tf.constant(0.0), "p": tf.constant(1.0)}
states, last = recurrent.Recurrent(tf.constant(2.0), start, tf.constant([1.0, 2.0, 3.0]), cell)
values = tf.Session().run([states, last])
show([sorted(value.items()) for value in values])

# case: fewer steps than inputs, at the beginning or at the end
from tensorflow.contrib import recurrent

def cell(theta, state, inputs):
    return [state[0] * theta[0] + inputs[0]], []

for aligned_end in (False, True):
    # 1.15.5 takes zeros for the first state in the gradient of theta if the end is aligned.
    theta, start, x = tf.constant(2.0), tf.constant(0.0 if aligned_end else 1.0), tf.constant([3.0, 4.0, 5.0, 6.0])
    states, last = recurrent.Recurrent([theta], [start], [x], cell, max_input_length=tf.constant(3), aligned_end=aligned_end)
    grads = tf.gradients([states[0], last[0]], [theta, start, x])
    show(tf.Session().run([states, last, grads]))

# case: a gradient of the cell's own, from extras
from tensorflow.contrib import recurrent

def cell(theta, state, inputs):
    value = state[0] * theta[0] + inputs[0]
    return [value], [value * 10.0, value * 2.0]

def cell_grad(theta, state, inputs, extras, grad):
    return [grad[0] * extras[0]], [grad[0] * theta[0]], [grad[0] * extras[1]]

theta, x = tf.constant(2.0), tf.constant([1.0, 2.0, 3.0])
for extras in (None, [tf.constant(0.0), tf.constant(0.0)]):
    states, last = recurrent.Recurrent([theta], [tf.constant(0.5)], [x], cell, cell_grad, extras)
    show(tf.Session().run([states, last, tf.gradients(last[0], [theta, x])]))

# case: a cell that uses a variable is refused
from tensorflow.contrib import recurrent

v = tf.Variable(5.0)
try:
    recurrent.Recurrent([tf.constant(2.0)], [tf.constant(1.0)], [tf.constant([1.0])], lambda t, s, i: ([s[0] * v], []))
except AssertionError as error:
    print(str(error).partition(":")[0])

# case: functional_rnn with lengths, in reverse, from a state
from tensorflow.contrib import recurrent

class Digits(tf.nn.rnn_cell.RNNCell):
    state_size = property(lambda self: 1)
    output_size = property(lambda self: 1)

    def __call__(self, inputs, state, scope=None):
        return state * 10.0 + inputs, state * 10.0 + inputs

x = np.arange(1, 9, dtype=np.float32).reshape(2, 4, 1)
lengths = tf.constant([2, 3])
start = tf.constant([[1.0], [2.0]])
runs = [
    recurrent.functional_rnn(Digits(), x, dtype=tf.float32),
    recurrent.functional_rnn(Digits(), x, lengths, dtype=tf.float32),
    recurrent.functional_rnn(Digits(), x, lengths, dtype=tf.float32, reverse=True),
    recurrent.functional_rnn(Digits(), x, tf.constant([0, 2]), initial_state=start),
    recurrent.bidirectional_functional_rnn(Digits(), Digits(), x, sequence_length=lengths, dtype=tf.float32),
    recurrent.bidirectional_functional_rnn(Digits(), Digits(), x, sequence_length=lengths, dtype=tf.float32, fast_reverse=True),
    recurrent.bidirectional_functional_rnn(Digits(), Digits(), tf.transpose(x, [1, 0, 2]), sequence_length=lengths, dtype=tf.float32, time_major=True),
]
session = tf.Session()
for run in runs:
    flat = tf.contrib.framework.nest.flatten(run)
    show(session.run(flat))
    print([t.shape.as_list() for t in flat])

# case: functional_rnn without a type
from tensorflow.contrib import recurrent

recurrent.functional_rnn(tf.nn.rnn_cell.GRUCell(4), tf.placeholder(tf.float32, [3, 5, 2]))
