"""tf.keras.backend: values and types are those of TensorFlow 1.15.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import headwater as tf

K = tf.keras.backend
A = np.array([[-2.0, 0.5, 7.0], [1.0, -0.25, 3.0]], np.float32)
B = np.arange(12, dtype=np.float32).reshape(2, 3, 2) / 4
P = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], np.float32)
T = np.array([[0, 1, 0], [1, 0, 0]], np.float32)


def c(value: Any) -> Any:
    return tf.constant(value)


# Name -> (function, the type and value that TensorFlow 1.15.5 returns).
CASES: dict[str, tuple[Callable[[], Any], str, Any]] = {
    "relu": (
        lambda: K.relu(c(A), alpha=0.1, max_value=6, threshold=0.6),
        "float32",
        [[-0.26, -0.01, 6.0], [1.0, -0.085, 3.0]],
    ),
    "elu": (lambda: K.elu(c(A), 2.0), "float32", [[-1.7293, 0.5, 7.0], [1.0, -0.4424, 3.0]]),
    "hard_sigmoid": (lambda: K.hard_sigmoid(c(A)), "float32", [[0.1, 0.6, 1.0], [0.7, 0.45, 1.0]]),
    "sqrt": (lambda: K.sqrt(c(A)), "float32", [[0.0, 0.7071, 2.6458], [1.0, 0.0, 1.7321]]),
    "clip": (lambda: K.clip(c(A), 0, 2), "float32", [[0.0, 0.5, 2.0], [1.0, 0.0, 2.0]]),
    "std": (lambda: K.std(c(A), axis=0), "float32", [1.5, 0.375, 2.0]),
    "var": (lambda: K.var(c(A), axis=1, keepdims=True), "float32", [[14.3889], [1.7917]]),
    "mean": (lambda: K.mean(c(A) > 0), "float32", 0.6667),
    "all": (lambda: K.all(c(A), axis=1), "bool", [1.0, 1.0]),
    "dot": (
        lambda: K.dot(c(B), c(B[0].T.copy())),
        "float32",
        [
            [[0.0625, 0.1875, 0.3125], [0.1875, 0.8125, 1.4375], [0.3125, 1.4375, 2.5625]],
            [[0.4375, 2.0625, 3.6875], [0.5625, 2.6875, 4.8125], [0.6875, 3.3125, 5.9375]],
        ],
    ),
    "batch_dot": (
        lambda: K.batch_dot(c(A), c(B), axes=(1, 1)),
        "float32",
        [[7.25, 8.625], [8.5, 9.4375]],
    ),
    "batch_dot3": (
        lambda: K.batch_dot(c(B), c(B), axes=(2, 2)),
        "float32",
        [
            [[0.0625, 0.1875, 0.3125], [0.1875, 0.8125, 1.4375], [0.3125, 1.4375, 2.5625]],
            [[5.3125, 6.9375, 8.5625], [6.9375, 9.0625, 11.1875], [8.5625, 11.1875, 13.8125]],
        ],
    ),
    "cce": (lambda: K.categorical_crossentropy(c(T), c(P * 2)), "float32", [0.6931, 2.3026]),
    "cce_logits": (
        lambda: K.categorical_crossentropy(c(T), c(A), from_logits=True),
        "float32",
        [6.5016, 2.1605],
    ),
    "scce": (
        lambda: K.sparse_categorical_crossentropy(c(np.array([[1], [0]])), c(P)),
        "float32",
        [0.6931, 2.3026],
    ),
    "bce": (
        lambda: K.binary_crossentropy(c(T), c(P)),
        "float32",
        [[0.2231, 0.6931, 0.3567], [2.3026, 0.1054, 1.6094]],
    ),
    "bce_sigmoid": (
        lambda: K.binary_crossentropy(c(T), tf.sigmoid(c(A * 30))),
        "float32",
        [[0.0, 0.0, 210.0], [0.0, 0.0006, 90.0]],
    ),
    "in_top_k": (lambda: K.in_top_k(c(P), c(np.array([2, 2])), 2), "bool", [1.0, 1.0]),
    "repeat": (
        lambda: K.repeat(c(A), 2),
        "float32",
        [[[-2.0, 0.5, 7.0], [-2.0, 0.5, 7.0]], [[1.0, -0.25, 3.0], [1.0, -0.25, 3.0]]],
    ),
    "repeat_elements": (
        lambda: K.repeat_elements(c(A), 2, 1),
        "float32",
        [[-2.0, -2.0, 0.5, 0.5, 7.0, 7.0], [1.0, 1.0, -0.25, -0.25, 3.0, 3.0]],
    ),
    "resize": (
        lambda: K.resize_images(c(B.reshape(1, 2, 3, 2)), 2, 1, "channels_last", "bilinear"),
        "float32",
        [
            [
                [[0.0, 0.25], [0.5, 0.75], [1.0, 1.25]],
                [[0.375, 0.625], [0.875, 1.125], [1.375, 1.625]],
                [[1.125, 1.375], [1.625, 1.875], [2.125, 2.375]],
                [[1.5, 1.75], [2.0, 2.25], [2.5, 2.75]],
            ]
        ],
    ),
    "pad": (
        lambda: K.spatial_2d_padding(c(B.reshape(1, 2, 3, 2)), ((1, 0), (0, 1)), "channels_first"),
        "float32",
        [
            [
                [[0.0, 0.0, 0.0], [0.0, 0.25, 0.0], [0.5, 0.75, 0.0], [1.0, 1.25, 0.0]],
                [[0.0, 0.0, 0.0], [1.5, 1.75, 0.0], [2.0, 2.25, 0.0], [2.5, 2.75, 0.0]],
            ]
        ],
    ),
    "conv1d": (
        lambda: K.conv1d(c(B), c(B[:1].transpose(1, 2, 0)[:2]), padding="causal", dilation_rate=2),
        "float32",
        [[[0.1875], [0.8125], [1.5]], [[2.0625], [2.6875], [3.75]]],
    ),
    "conv2d": (
        lambda: K.conv2d(
            c(B.reshape(1, 2, 2, 3)), c(B[:, :2].reshape(2, 2, 2, 1)), data_format="channels_first"
        ),
        "float32",
        [[[[14.5, 16.75]]]],
    ),
    "pool2d": (
        lambda: K.pool2d(c(B.reshape(1, 2, 3, 2)), (2, 2), padding="same", pool_mode="avg"),
        "float32",
        [[[[1.0, 1.25], [1.5, 1.75], [1.75, 2.0]], [[1.75, 2.0], [2.25, 2.5], [2.5, 2.75]]]],
    ),
    "local_conv1d": (
        lambda: K.local_conv1d(c(B), c(B.reshape(3, 2, 2)), (1,), (1,)),
        "float32",
        [
            [[0.125, 0.1875], [1.625, 1.9375], [5.125, 5.6875]],
            [[0.875, 1.6875], [5.375, 6.4375], [11.875, 13.1875]],
        ],
    ),
    "bias_add": (
        lambda: K.bias_add(c(B), c(A[0]), data_format="channels_first"),
        "float32",
        [[[-2.0, -1.75], [1.0, 1.25], [8.0, 8.25]], [[-0.5, -0.25], [2.5, 2.75], [9.5, 9.75]]],
    ),
    "normalize": (
        lambda: K.normalize_batch_in_training(c(A), c(A[0]), None, [0])[0],
        "float32",
        [[1.9996, 0.4982, 6.9991], [-1.9996, -0.4982, -6.9991]],
    ),
    "switch": (
        lambda: K.switch(c(np.array([True, False])), c(A), c(-A)),
        "float32",
        [[-2.0, 0.5, 7.0], [-1.0, 0.25, -3.0]],
    ),
    "switch2": (
        lambda: K.switch(c(np.array([[True], [False]])), c(A), c(-A)),
        "float32",
        [[-2.0, 0.5, 7.0], [-1.0, 0.25, -3.0]],
    ),
    "rnn": (
        lambda: K.rnn(lambda i, s: (i + s[0], [i + s[0]]), c(B), [c(np.ones((2, 2), np.float32))])[
            1
        ],
        "float32",
        [[[1.0, 1.25], [1.5, 2.0], [2.5, 3.25]], [[2.5, 2.75], [4.5, 5.0], [7.0, 7.75]]],
    ),
    "rnn_mask": (
        lambda: K.rnn(
            lambda i, s: (i + s[0] * s[1], [i + s[0]]),
            c(B),
            [c(np.ones((2, 2), np.float32))],
            mask=c(np.array([[True, False, True], [False, True, True]])),
            constants=[c(np.float32(2))],
            go_backwards=True,
        )[1],
        "float32",
        [[[3.0, 3.25], [3.0, 3.25], [4.0, 4.75]], [[4.5, 4.75], [9.0, 9.75], [9.0, 9.75]]],
    ),
    "rnn_zero": (
        lambda: K.rnn(
            lambda i, s: (i + s[0], [i + s[0]]),
            c(B),
            [c(np.ones((2, 2), np.float32))],
            mask=c(np.array([[True, True, False], [False, True, True]])),
            zero_output_for_mask=True,
        )[1],
        "float32",
        [[[1.0, 1.25], [1.5, 2.0], [0.0, 0.0]], [[0.0, 0.0], [3.0, 3.25], [5.5, 6.0]]],
    ),
    "rnn_unroll": (
        lambda: K.rnn(
            lambda i, s: (i + s[0], [i + s[0]]),
            c(B),
            [c(np.ones((2, 2), np.float32))],
            mask=c(np.array([[True, False, True], [False, True, True]])),
            unroll=True,
        )[1],
        "float32",
        [[[1.0, 1.25], [1.0, 1.25], [2.0, 2.5]], [[0.0, 0.0], [3.0, 3.25], [5.5, 6.0]]],
    ),
    "rnn_last": (
        lambda: K.rnn(
            lambda i, s: (i + s[0], [i + s[0]]),
            c(B.transpose(1, 0, 2).copy()),
            [c(np.ones((2, 2), np.float32))],
            time_major=True,
        )[0],
        "float32",
        [[2.5, 3.25], [7.0, 7.75]],
    ),
    "ctc": (
        lambda: K.ctc_batch_cost(
            c(np.array([[0, 1], [1, 0]], np.float32)),
            c(np.stack([P, P[::-1], P], 1)),
            c(np.array([[3], [2]])),
            c(np.array([[2], [1]])),
        ),
        "float32",
        [[2.112], [0.734]],
    ),
    "ctc_decode": (
        lambda: K.ctc_decode(c(np.stack([P, P[::-1], P], 1)), c(np.array([3, 2])))[0][0],
        "int64",
        [[1.0, 1.0], [1.0, -1.0]],
    ),
    "binomial": (
        lambda: K.random_binomial((5,), 0.5, seed=3),
        "float32",
        [1.0, 1.0, 0.0, 1.0, 0.0],
    ),
    "dropout": (
        lambda: K.dropout(c(A), 0.5, seed=4),
        "float32",
        [[-4.0, 0.0, 14.0], [2.0, -0.0, 0.0]],
    ),
    "one_hot": (
        lambda: K.one_hot(c(np.array([2, 0])), 3),
        "float32",
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
    ),
    "cumsum": (lambda: K.cumsum(c(A), axis=1), "float32", [[-2.0, -1.5, 5.5], [1.0, 0.75, 3.75]]),
    "argmax": (lambda: K.argmax(c(A)), "int64", [2.0, 2.0]),
    "reverse": (lambda: K.reverse(c(A), 1), "float32", [[7.0, 0.5, -2.0], [3.0, -0.25, 1.0]]),
    "l2_normalize": (
        lambda: K.l2_normalize(c(A), axis=1),
        "float32",
        [[-0.2741, 0.0685, 0.9593], [0.3152, -0.0788, 0.9457]],
    ),
    "conv2d_transpose": (
        lambda: K.conv2d_transpose(
            c(B.reshape(1, 3, 2, 2)), c(B[:, :2].reshape(2, 2, 1, 2)), (1, 4, 3, 1)
        ),
        "float32",
        [
            [
                [[0.0625], [0.375], [0.8125]],
                [[0.75], [4.5], [4.75]],
                [[4.25], [13.5], [10.25]],
                [[6.9375], [17.625], [11.1875]],
            ]
        ],
    ),
    "separable": (
        lambda: K.separable_conv2d(
            c(B.reshape(1, 3, 2, 2)),
            c(B[:, :2].reshape(2, 2, 2, 1)),
            c(B[0, :2].reshape(1, 1, 2, 2)),
        ),
        "float32",
        [[[[3.375, 6.25]], [[5.875, 11.0]]]],
    ),
}


def test_values_are_those_of_tensorflow() -> None:
    names = list(CASES)
    results = K.get_session().run([CASES[name][0]() for name in names])
    for name, result in zip(names, results, strict=True):
        _, kind, expected = CASES[name]
        assert result.dtype == kind, name
        np.testing.assert_allclose(result, expected, rtol=2e-4, atol=1e-4, err_msg=name)
