"""tf.keras.callbacks, with the values and lines of TensorFlow 1.15.5."""

from __future__ import annotations

import http.server
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf

callbacks = tf.keras.callbacks
X = np.random.RandomState(0).rand(32, 3).astype("f4")
Y = (X @ np.array([[1.0], [2.0], [3.0]])).astype("f4")


def _model() -> Any:
    layer = tf.keras.layers.Dense(1, input_shape=(3,), kernel_initializer="zeros")
    model = tf.keras.Sequential([layer])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    return model


def test_fit_prints_and_records_progress(capsys: pytest.CaptureFixture[str]) -> None:
    history = _model().fit(X, Y, 8, 3, validation_split=0.25, verbose=1, shuffle=False)
    np.testing.assert_allclose(
        history.history["loss"], [6.204351464907329, 0.865920419494311, 0.4011762539545695], 1e-5
    )
    np.testing.assert_allclose(
        history.history["val_loss"], [0.7687610983, 0.4441945850, 0.4403944611], 1e-5
    )
    assert history.epoch == [0, 1, 2] and history.params["metrics"] == ["loss", "val_loss"]
    assert isinstance(history.history["loss"][0], float)
    lines = [re.sub(r"\d+[mu]?s", "T", x.split("\r")[-1]) for x in _lines(capsys)]
    bar = "24/24 [==============================] - T T/sample - "
    assert lines == [
        "Train on 24 samples, validate on 8 samples",
        "Epoch 1/3",
        bar + "loss: 6.2044 - val_loss: 0.7688",
        "Epoch 2/3",
        bar + "loss: 0.8659 - val_loss: 0.4442",
        "Epoch 3/3",
        bar + "loss: 0.4012 - val_loss: 0.4404",
    ]


def _lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.rstrip("\n").split("\n")


def test_hooks_are_called_in_order() -> None:
    calls = []

    class Recorder(callbacks.Callback):
        pass

    for name in dir(callbacks.Callback):
        if name.startswith("on_"):
            setattr(Recorder, name, lambda self, *a, n=name, **k: calls.append(n))
    _model().fit(X, Y, 16, 1, validation_split=0.5, verbose=0, callbacks=[Recorder()])
    assert calls == [
        "on_train_begin",
        "on_epoch_begin",
        "on_train_batch_begin",
        "on_train_batch_end",
        "on_test_begin",
        "on_test_batch_begin",
        "on_test_batch_end",
        "on_test_end",
        "on_epoch_end",
        "on_train_end",
    ]


def test_rates_and_stopping(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "w_{epoch:02d}")
    history = _model().fit(
        X,
        np.ones_like(Y),
        8,
        20,
        validation_split=0.25,
        verbose=0,
        shuffle=False,
        callbacks=[
            callbacks.EarlyStopping(
                min_delta=0.02, patience=1, verbose=1, restore_best_weights=True
            ),
            callbacks.ReduceLROnPlateau(patience=1, min_delta=0.1, verbose=1),
            callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9, verbose=1),
            callbacks.ModelCheckpoint(path, verbose=1, save_best_only=True, save_weights_only=True),
            callbacks.CSVLogger(str(tmp_path / "log.csv")),
        ],
    )
    assert [x for x in _lines(capsys) if x] == [
        "Epoch 00001: LearningRateScheduler reducing learning rate to 0.09000000134110452.",
        f"Epoch 00001: val_loss improved from inf to 0.14128, saving model to {tmp_path}/w_01",
        "Epoch 00002: LearningRateScheduler reducing learning rate to 0.08100000321865082.",
        "Epoch 00002: ReduceLROnPlateau reducing learning rate to 0.008100000023841859.",
        f"Epoch 00002: val_loss improved from 0.14128 to 0.04927, saving model to {tmp_path}/w_02",
        "Epoch 00003: LearningRateScheduler reducing learning rate to 0.007290000189095736.",
        "Restoring model weights from the end of the best epoch.",
        "Epoch 00003: ReduceLROnPlateau reducing learning rate to 0.0007290000095963479.",
        f"Epoch 00003: val_loss improved from 0.04927 to 0.04718, saving model to {tmp_path}/w_03",
        "Epoch 00003: early stopping",
    ]
    np.testing.assert_allclose(history.history["lr"], [0.09, 0.0081, 0.000729], 1e-6)
    rows = (tmp_path / "log.csv").read_text().splitlines()
    assert rows[0] == "epoch,loss,lr,val_loss"
    np.testing.assert_allclose(
        [float(x) for x in rows[3].split(",")], [2, 0.0268661293, 0.000729, 0.0471781157], 1e-5
    )
    restored = _model()
    restored.load_weights(str(tmp_path / "w_02"))
    np.testing.assert_allclose(
        restored.evaluate(X[24:], np.ones((8, 1)), verbose=0), 0.04927349, 1e-5
    )


def test_nan_ends_training(capsys: pytest.CaptureFixture[str]) -> None:
    fit = _model().fit
    history = fit(X, Y * np.nan, epochs=3, verbose=0, callbacks=[callbacks.TerminateOnNaN()])
    assert history.epoch == [0]
    assert _lines(capsys) == ["Batch 0: Invalid loss, terminating training"]


def test_lambda_callback() -> None:
    seen = []
    _model().fit(
        X,
        Y,
        16,
        verbose=0,
        callbacks=[
            callbacks.LambdaCallback(
                on_batch_end=lambda batch, _: seen.append(batch),
                on_train_end=lambda _: seen.append("end"),
            )
        ],
    )
    assert seen == [0, 1, "end"]


def test_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    bar = tf.keras.utils.Progbar(7, unit_name="q", stateful_metrics=["b"], interval=0)
    bar.add(1, [("a", 0), ("b", 0)])
    bar.add(1, [("a", 1), ("b", 1)])
    first = "1/7 [===>..........................] - ETA: 0s - a: 0.0000e+00 - b: 0.0000e+00"
    second = "2/7 [=======>......................] - ETA: 0s - a: 0.5000 - b: 1.0000        "
    assert capsys.readouterr().out == f"\r{first}{chr(8) * len(first)}\r{second}"
    bar = tf.keras.utils.Progbar(3, verbose=2)
    bar.update(3, [("a", 0.5), ("b", 1e-4)])
    assert capsys.readouterr().out == "3/3 - 0s - a: 0.5000 - b: 1.0000e-04\n"


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match=r"does not support a factor >= 1\.0\."):
        callbacks.ReduceLROnPlateau(factor=1.0)
    with pytest.raises(ValueError, match="Unrecognized save_freq: b"):
        callbacks.ModelCheckpoint("a", save_freq="b")
    with pytest.raises(ValueError, match="Unknown `count_mode`: z"):
        callbacks.ProgbarLogger("z")
    schedule = callbacks.LearningRateScheduler(lambda epoch: "a")
    with pytest.raises(ValueError, match='output of the "schedule" function should be float'):
        _model().fit(X, Y, verbose=0, callbacks=[schedule])


def test_evaluate_and_predict_print_progress(capsys: pytest.CaptureFixture[str]) -> None:
    model = _model()
    np.testing.assert_allclose(model.evaluate(X, Y, 20), 9.7328, 1e-4)
    assert model.predict(X, 20, verbose=1).shape == (32, 1)
    lines = [re.sub(r"\d+[mu]?s", "T", x.split("\r")[-1]) for x in _lines(capsys)]
    bar = "32/32 [==============================] - T T/sample"
    assert [x.rstrip() for x in lines] == [bar + " - loss: 9.7328", bar]


def _summaries(folder: Path) -> list[tuple[int, str, float]]:
    (file,) = folder.glob("events*")
    return [
        (event.step, value.tag, round(value.histo.num or value.simple_value, 3))
        for event in tf.train.summary_iterator(str(file))
        for value in event.summary.value
    ]


def test_tensorboard_gets_epochs_batches_and_histograms(tmp_path: Path) -> None:
    board = callbacks.TensorBoard(tmp_path / "a", histogram_freq=2, write_grads=True)
    # The summaries are written while validating.
    _model().fit(X, Y, 8, 2, verbose=0, validation_split=0.25, shuffle=False, callbacks=[board])
    found = _summaries(tmp_path / "a")
    tags = ["kernel_0", "bias_0", "kernel_0_grad", "bias_0_grad"]
    assert [(step, tag.split("/")[-1]) for step, tag, _ in found[:4]] == [(0, t) for t in tags]
    assert found[4][1].endswith("_out") and found[4][2] == 8
    assert found[5:] == [
        (0, "epoch_loss", 6.204),
        (0, "epoch_val_loss", 0.769),
        (1, "epoch_loss", 0.866),
        (1, "epoch_val_loss", 0.444),
    ]
    board = callbacks.TensorBoard(tmp_path / "b", write_graph=False, update_freq=16)
    _model().fit(X, Y, 8, 1, verbose=0, shuffle=False, callbacks=[board])
    steps = [(step, tag) for step, tag, _ in _summaries(tmp_path / "b")]
    assert steps == [(1, "batch_loss"), (3, "batch_loss"), (32, "epoch_loss")]


def test_remote_monitor_posts_the_logs(caplog: pytest.LogCaptureFixture) -> None:
    received = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            received.append((self.path, self.headers["Content-Type"], self.rfile.read(size)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        root = f"http://127.0.0.1:{server.server_port}"
        for monitor in (
            callbacks.RemoteMonitor(root),
            callbacks.RemoteMonitor(root, path="/x", send_as_json=True),
        ):
            monitor.on_epoch_end(3, {"loss": np.float32(0.5)})
        server.shutdown()
        thread.join()
    form, plain = received
    assert form[0] == "/publish/epoch/end/" and form[2].startswith(b"data=%7B%22epoch")
    assert plain == ("/x", "application/json", b'{"epoch": 3, "loss": 0.5}')
    callbacks.RemoteMonitor(root).on_epoch_end(3)  # Nobody listens: only a warning.
