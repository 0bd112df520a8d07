"""The page docs/input.md: its programs run, and the files that it names are there."""

import re
from pathlib import Path

import headwater as tf

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/input.md").read_text()


def test_the_program_with_datasets_runs(tmp_path):
    path = str(tmp_path / "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for label in range(200):
            example = tf.train.Example()
            example.features.feature["image"].float_list.value.extend([0.5] * 784)
            example.features.feature["label"].int64_list.value.append(label)
            writer.write(example.SerializeToString())
    names = _run(0)
    with tf.Session() as session:
        session.run(names["iterator"].initializer, {names["names"]: [path]})
        batches = []
        try:
            while True:
                batches.append(session.run(names["batch"]))
        except tf.errors.OutOfRangeError:
            pass
    assert [batch["image"].shape for batch in batches] == [(100, 784)] * 10
    labels = sorted(label for batch in batches for label in batch["label"])
    assert labels == sorted(list(range(200)) * 5)


def test_the_program_with_queues_builds_its_graph():
    batch = _run(1)["batch"]
    assert [tensor.shape.as_list() for tensor in batch] == [[32], [32]]


def _run(number):
    program = re.findall(r"```python\n(.*?)```", PAGE, re.S)[number]
    names = {}
    exec(program, names)
    return names


def test_files_that_the_page_names():
    rows = re.findall(r"^\| \d+ \| (.*?) \|", PAGE, re.M)
    assert len(rows) == 10
    folder = ""
    for name in re.findall(r"`([\w/*]+\.py|[\w/]+/)`", " ".join(rows)):
        if "/" in name:
            folder = name.rpartition("/")[0]
        else:
            name = f"{folder}/{name}"
        assert list((ROOT / "headwater").glob(name)), name
