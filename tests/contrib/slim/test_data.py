"""slim's input: readers, decoders of examples, providers and queues of batches."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import headwater as tf

slim = tf.contrib.slim
decoders = slim.tfexample_decoder


def _example(**features: Any) -> bytes:
    example = tf.train.Example()
    for name, value in features.items():
        feature = example.features.feature[name]
        values = np.ravel(value)
        if isinstance(value, bytes) or values.dtype.kind == "O":
            feature.bytes_list.value.extend([value] if isinstance(value, bytes) else value)
        elif values.dtype.kind == "i":
            feature.int64_list.value.extend(values.tolist())
        else:
            feature.float_list.value.extend(values.tolist())
    return example.SerializeToString()


def _decode(session: tf.Session, data: bytes, features: Any, handlers: Any) -> list[Any]:
    decoder = decoders.TFExampleDecoder(features, handlers)
    assert list(decoder.list_items()) == list(handlers)
    return session.run(decoder.decode(tf.constant(data)))


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [str(tmp_path / f"part-{part}") for part in range(2)]
    for part, path in enumerate(paths):
        with tf.python_io.TFRecordWriter(path) as writer:
            for number in range(5):
                writer.write(_example(value=[float(number)], part=[part]))
    return paths


def _dataset(files: Any) -> Any:
    decoder = decoders.TFExampleDecoder(
        {"value": tf.FixedLenFeature((1,), tf.float32), "part": tf.FixedLenFeature((), tf.int64)},
        {"value": decoders.Tensor("value"), "part": decoders.Tensor("part")},
    )
    return slim.dataset.Dataset(files, tf.TFRecordReader, decoder, 10, {"value": "a number"}, k=3)


def test_provider_gives_each_sample_once(files: list[str], session: tf.Session) -> None:
    dataset = _dataset(str(Path(files[0]).parent / "part-*"))
    assert (dataset.k, dataset.items_to_descriptions) == (3, {"value": "a number"})
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, num_readers=2, num_epochs=1)
    assert provider.num_samples() == 10
    tensors = provider.get(["part", "value", "record_key"])
    session.run(tf.local_variables_initializer())
    samples = []
    with slim.queues.QueueRunners(session):
        try:
            while True:
                samples.append(session.run(tensors))
        except tf.errors.OutOfRangeError:
            pass
    assert sorted((int(part), float(value[0])) for part, value, _ in samples) == [
        (part, float(number)) for part in range(2) for number in range(5)
    ]
    assert len({key for *_, key in samples}) == 10


def test_single_pass_keeps_the_order(files: list[str], session: tf.Session) -> None:
    key, _ = slim.parallel_reader.single_pass_read(files, tf.TFRecordReader)
    session.run(tf.local_variables_initializer())
    with slim.queues.QueueRunners(session):
        keys = [session.run(key).decode() for _ in range(10)]
    assert [k.rpartition(":")[0] for k in keys] == [files[0]] * 5 + [files[1]] * 5


def test_items_of_a_provider(files: list[str]) -> None:
    provider = slim.dataset_data_provider.DatasetDataProvider(_dataset(files))
    assert list(provider.list_items()) == ["value", "part", "record_key"]
    with pytest.raises(ValueError, match="items must be a list or tuple"):
        provider.get("value")
    with pytest.raises(ValueError, match=r"Item \[zz\] is invalid\. Valid entries include: dict_k"):
        provider.get(["zz"])
    with pytest.raises(ValueError, match="The item name used for `record_key` cannot also be used"):
        slim.dataset_data_provider.DatasetDataProvider(_dataset(files), record_key="part")


def test_sources(tmp_path: Path, files: list[str]) -> None:
    pattern = str(tmp_path / "part-*")
    assert slim.parallel_reader.get_data_files([pattern, "other"]) == [*files, "other"]
    with pytest.raises(ValueError, match="No data files found in"):
        slim.parallel_reader.get_data_files(str(tmp_path / "nothing-*"))
    with pytest.raises(TypeError, match=r"common_queue\.dtypes must be"):
        slim.parallel_reader.ParallelReader(tf.TFRecordReader, tf.FIFOQueue(5, [tf.string]))


@pytest.mark.parametrize("image_format", ["png", "jpeg", "raw"])
def test_images(image_format: str, session: tf.Session) -> None:
    pixels = np.full((4, 6, 3), 200, np.uint8)
    if image_format == "raw":
        encoded = pixels.tobytes()
    else:
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, format=image_format)
        encoded = file.getvalue()
    features = {
        "image/encoded": tf.FixedLenFeature((), tf.string),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="jpeg"),
    }
    data = _example(**{"image/encoded": encoded, "image/format": image_format.encode()})
    shape = (4, 6, 3)
    # Raw bytes have no shape of their own.
    handlers = {"image": decoders.Image(shape=shape)}
    [image] = _decode(session, data, features, handlers)
    np.testing.assert_array_equal(image, pixels)


def test_tensors_boxes_and_callbacks(session: tf.Session) -> None:
    sparse, scalar = tf.VarLenFeature(tf.float32), tf.FixedLenFeature((), tf.int64)
    features = {
        **dict.fromkeys(["box/ymin", "box/xmin", "box/ymax", "box/xmax", "values"], sparse),
        "empty": sparse,
        "height": scalar,
        "width": scalar,
    }
    data = _example(
        **{"box/ymin": [1.0, 5.0], "box/xmin": [2.0, 6.0]},
        **{"box/ymax": [3.0, 7.0], "box/xmax": [4.0, 8.0]},
        values=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        height=[2],
        width=[3],
    )
    handlers = {
        "boxes": decoders.BoundingBox(prefix="box/"),
        "shaped": decoders.Tensor("values", shape_keys=["height", "width"]),
        "flat": decoders.Tensor("values"),
        "fixed": decoders.Tensor("values", shape=[3, 2]),
        "backup": decoders.BackupHandler(decoders.Tensor("empty"), decoders.Tensor("values")),
        "sum": decoders.ItemHandlerCallback("values", lambda t: tf.reduce_sum(t["values"].values)),
    }
    boxes, shaped, flat, fixed, backup, total = _decode(session, data, features, handlers)
    np.testing.assert_array_equal(boxes, [[1, 2, 3, 4], [5, 6, 7, 8]])
    np.testing.assert_array_equal(shaped, [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(flat, [1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(fixed, [[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(backup, flat)
    assert total == 21.0


def test_sparse_tensors_and_lookups(session: tf.Session) -> None:
    features = {
        "indices": tf.VarLenFeature(tf.int64),
        "values": tf.VarLenFeature(tf.float32),
        "words": tf.VarLenFeature(tf.string),
    }
    data = _example(indices=[0, 3], values=[1.5, 2.5], words=np.array([b"b", b"a"], object))
    table = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
    decoder = decoders.TFExampleDecoder(
        features,
        {
            "sparse": decoders.SparseTensor(shape=[5]),
            "dense": decoders.SparseTensor(shape=[5], densify=True, default_value=-1),
            "ids": decoders.LookupTensor("words", table),
        },
    )
    session.run(tf.tables_initializer())
    sparse, dense, ids = session.run(decoder.decode(tf.constant(data)))
    np.testing.assert_array_equal(sparse.indices, [[0], [3]])
    np.testing.assert_array_equal(dense, [1.5, -1, -1, 2.5, -1])
    np.testing.assert_array_equal(ids, [1, 0])


def test_wrong_handlers() -> None:
    tensor = decoders.Tensor("v")
    with pytest.raises(ValueError, match="Cannot specify both shape_keys and shape parameters"):
        decoders.Tensor("v", shape_keys="h", shape=[2])
    with pytest.raises(ValueError, match="BoundingBox expects 4 keys but got 1"):
        decoders.BoundingBox(["a"])
    with pytest.raises(ValueError, match="Primary handler is of type <class 'int'>"):
        decoders.BackupHandler(1, tensor)
    with pytest.raises(ValueError, match="Backup handler is of type <class 'int'>"):
        decoders.BackupHandler(tensor, 1)


def test_prefetched_batches(session: tf.Session) -> None:
    counter = tf.get_variable("counter", initializer=0)
    batch = {"n": counter.assign_add(1), "x": tf.ones([2, 3])}
    queue = slim.prefetch_queue.prefetch_queue(batch, capacity=3)
    taken = queue.dequeue()
    assert taken["x"].shape.as_list() == [2, 3]
    session.run(tf.global_variables_initializer())
    with slim.queues.QueueRunners(session):
        assert [session.run(taken["n"]) for _ in range(4)] == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="All shapes must be fully defined"):
        slim.prefetch_queue.prefetch_queue([tf.placeholder(tf.float32, [None])])
