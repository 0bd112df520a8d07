"""The model and the input pipeline of the CIFAR-10 tutorial."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.base import flags
from headwater.base.late_flags import define_late
from headwater.data.cifar10.sample import FOLDER, RECORDS_PER_FILE, write_sample
from headwater.data.cifar_files import CIFAR10_BINARY, PIXELS

cifar10 = tf.models.image.cifar10.cifar10
cifar10_input = tf.models.image.cifar10.cifar10_input


@pytest.fixture
def data_dir(tmp_path, monkeypatch):
    """A folder of the flag `data_dir`, with the sample."""
    monkeypatch.setenv("HEADWATER_OFFLINE", "1")
    assert flags.FLAGS.data_dir == "/tmp/cifar10_data"
    before = flags.FLAGS.data_dir, flags.FLAGS.batch_size
    flags.FLAGS.data_dir, flags.FLAGS.batch_size = str(tmp_path), 8
    yield tmp_path
    flags.FLAGS.data_dir, flags.FLAGS.batch_size = before


def test_the_sample_has_the_form_of_the_data_set(tmp_path):
    folder = tmp_path / FOLDER
    assert write_sample(tmp_path) == str(folder)
    assert {path.name for path in folder.iterdir()} == {*CIFAR10_BINARY.train, *CIFAR10_BINARY.test}
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1 << 20
    for path in folder.iterdir():
        records = np.fromfile(path, np.uint8).reshape(RECORDS_PER_FILE, 1 + PIXELS)
        assert np.bincount(records[:, 0]).tolist() == [RECORDS_PER_FILE // 10] * 10


def test_a_notice_tells_of_the_sample(data_dir, capsys):
    cifar10.maybe_download_and_extract()
    notice = capsys.readouterr().err
    assert "put cifar-10-binary.tar.gz from https://www.cs.toronto.edu/" in notice
    assert "USING A MADE-UP SAMPLE of 250 pictures" in notice
    assert (data_dir / FOLDER / "test_batch.bin").exists()


def test_the_real_files_come_first(data_dir, capsys):
    write_sample(data_dir)
    real = data_dir / CIFAR10_BINARY.folder
    real.mkdir()
    for name in (*CIFAR10_BINARY.train, *CIFAR10_BINARY.test):
        (real / name).write_bytes(bytes([7]) * (1 + PIXELS) * 4)
    cifar10.maybe_download_and_extract()
    _, labels = cifar10.inputs(eval_data=True)
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert session.run(labels).tolist() == [7] * 8
        coordinator.request_stop()
        coordinator.join(threads)
    assert capsys.readouterr().err == ""


def test_missing_files(data_dir):
    with pytest.raises(ValueError, match=r"Failed to find file: .*data_batch_1\.bin"):
        cifar10.distorted_inputs()


def test_records(tmp_path):
    rng = np.random.default_rng(5)
    pixels = rng.integers(0, 256, (2, PIXELS), dtype=np.uint8)
    path = tmp_path / "x.bin"
    path.write_bytes(bytes([3]) + pixels[0].tobytes() + bytes([9]) + pixels[1].tobytes())
    queue = tf.FIFOQueue(1, tf.string)
    record = cifar10_input.read_cifar10(queue)
    assert (record.height, record.width, record.depth) == (32, 32, 3)
    assert record.label.shape.as_list() == [1] and record.label.dtype == tf.int32
    assert record.uint8image.shape.as_list() == [32, 32, 3]
    with tf.Session() as session:
        session.run(queue.enqueue(str(path)))
        for number, label in enumerate((3, 9)):
            key, found, image = session.run([record.key, record.label, record.uint8image])
            assert key == f"{path}:{number}".encode() and found.tolist() == [label]
            planes = pixels[number].reshape(3, 32, 32)
            np.testing.assert_array_equal(image, planes.transpose(1, 2, 0))


def test_the_model_has_the_parameters_of_the_tutorial():
    logits = cifar10.inference(tf.zeros([4, 24, 24, 3]))
    total = cifar10.loss(logits, tf.zeros([4], tf.int32))
    assert logits.shape.as_list() == [4, 10] and total.shape.as_list() == []
    names = ["conv1", "conv2", "local3", "local4", "softmax_linear"]
    assert [v.op.name for v in tf.trainable_variables()] == [
        f"{name}/{part}" for name in names for part in ("weights", "biases")
    ]
    assert sum(v.shape.num_elements() for v in tf.trainable_variables()) == 1_068_298
    assert len(tf.get_collection("losses")) == 3
    devices = {v.device for v in tf.trainable_variables()}
    assert devices == {"/device:CPU:0"}


def test_flags_that_are_defined_late_read_the_command_line(monkeypatch):
    absl = flags._absl_flags()
    absl.FLAGS.mark_as_parsed()
    monkeypatch.setattr("sys.argv", ["program", "--test_late_size=7", "--test_other", "x"])
    define_late("integer", "test_late_size", 128, "A size.")
    assert flags.FLAGS.test_late_size == 7
    define_late("integer", "test_late_size", 5, "Another one.")
    assert flags.FLAGS.test_late_size == 7
    delattr(flags.FLAGS, "test_late_size")


@pytest.mark.slow  # the examples in tests/cli do it as well
def test_training_lowers_the_loss(data_dir):
    write_sample(data_dir)
    tf.set_random_seed(1)
    step_counter = tf.Variable(0, trainable=False, name="global_step")
    images, labels = cifar10.distorted_inputs()
    assert images.shape.as_list() == [8, 24, 24, 3] and labels.shape.as_list() == [8]
    loss = cifar10.loss(cifar10.inference(images), labels)
    train = cifar10.train(loss, step_counter)
    rng = np.random.default_rng(3)
    # Threads decide the order of the pipeline's examples, and with it the course of the loss.
    fixed = {images: rng.normal(size=[8, 24, 24, 3]).astype(np.float32), labels: np.arange(8) % 4}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([train, loss], fixed)[1] for _ in range(15)]
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        drawn = [session.run([train, loss, labels])[1:] for _ in range(5)]
        coordinator.request_stop()
        coordinator.join(threads)
        assert session.run(step_counter) == 20
    assert losses[-1] < losses[0] - 0.5
    assert np.isfinite([value for value, _ in drawn]).all()
    assert len({tuple(batch) for _, batch in drawn}) > 1
