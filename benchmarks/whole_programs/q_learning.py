"""Q-learning of a walk on a grid: 3,000 small runs that choose, 750 that train."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
width = 6

state = tf.placeholder(tf.float32, [None, 2])
action = tf.placeholder(tf.int32, [None])
target = tf.placeholder(tf.float32, [None])


def network(scope):
    with tf.variable_scope(scope):
        hidden = tf.layers.dense(state, 32, activation=tf.nn.relu)
        hidden = tf.layers.dense(hidden, 32, activation=tf.nn.relu)
        return tf.layers.dense(hidden, 4)


values, frozen = network("online"), network("target")
best = tf.argmax(values, 1)
chosen = tf.reduce_sum(values * tf.one_hot(action, 4), 1)
loss = tf.reduce_mean(tf.square(chosen - target))
online, copied = tf.trainable_variables("online"), tf.trainable_variables("target")
train = tf.train.AdamOptimizer(0.002).minimize(loss, var_list=online)
copy = [tf.assign(old, new) for old, new in zip(copied, online)]
moves = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    memory, place, errors = [], np.array([0, 0]), []
    for step in range(3000):
        if random.rand() < 0.3:
            move = random.randint(4)
        else:
            move = session.run(best, {state: place[None] / width})[0]
        after = np.clip(place + moves[move], 0, width - 1)
        done = bool((after == width - 1).all())
        memory.append((place / width, move, float(done), after / width))
        place = np.array([0, 0]) if done else after
        if step % 4 == 3 and len(memory) > 32:
            picked = [memory[i] for i in random.randint(len(memory), size=32)]
            before, taken, reward, following = map(np.array, zip(*picked))
            future = session.run(frozen, {state: following}).max(1)
            feeds = {state: before, action: taken, target: reward + 0.9 * future * (1 - reward)}
            error, _ = session.run([loss, train], feeds)
            errors.append(error)
        if step % 100 == 99:
            session.run(copy)
    print("steps to the goal", len(memory), sum(m[2] for m in memory))
    print(f"result {(1 + np.mean(errors[-100:])):.6f}")
