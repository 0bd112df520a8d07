"""Loading a SavedModel of 5,900 nodes and 100 MB of variables, until its first result."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf
from timing import once

LAYERS = 100
WIDTH = 500  # a megabyte of weights in each layer
FOLDER = os.path.join(tempfile.mkdtemp(), "model")


def write():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, WIDTH], name="x")
        y = x
        for index in range(LAYERS):
            with tf.variable_scope("layer%d" % index):
                scale = 1.0 / WIDTH
                weights = tf.get_variable(
                    "weights", [WIDTH, WIDTH], initializer=tf.random_uniform_initializer(0, scale)
                )
                bias = tf.get_variable("bias", [WIDTH], initializer=tf.zeros_initializer())
                y = tf.nn.relu(tf.nn.bias_add(tf.matmul(y, weights), bias))
                for _ in range(10):
                    y = tf.minimum(tf.maximum(y, -1e6), 1e6)
        y = tf.identity(y, name="y")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, FOLDER, {"x": x}, {"y": y})


def load():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.loader.load(session, ["serve"], FOLDER)
        return float(np.sum(session.run("y:0", {"x:0": np.ones([1, WIDTH], np.float32)})))


write()
once(load, "load, first result", check=load)
shutil.rmtree(os.path.dirname(FOLDER))
