"""Eight threads that run a small plan in one session, 50 times each."""

import threading

import numpy as np
import timing
import tensorflow as tf

THREADS, RUNS = 8, 50

x = tf.placeholder(tf.float32, [10])
weight = tf.Variable(tf.ones([10, 10]))
y = tf.reduce_sum(tf.matmul(tf.expand_dims(x, 0), weight))
feed = {x: np.arange(10, dtype=np.float32)}


def work():
    for _ in range(RUNS):
        session.run(y, feed)


def all_threads():
    workers = [threading.Thread(target=work) for _ in range(THREADS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    timing.measure(all_threads, "400 runs", check=lambda: session.run(y, feed))
