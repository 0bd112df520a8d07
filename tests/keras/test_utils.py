"""tf.keras.utils, keras.experimental and the word data sets."""

import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

UTILS = tf.keras.utils


def test_classes_become_vectors() -> None:
    np.testing.assert_array_equal(UTILS.to_categorical([0, 2]), [[1, 0, 0], [0, 0, 1]])
    assert UTILS.to_categorical([[1], [0]], 4).shape == (2, 4)
    assert UTILS.to_categorical([[1, 0]], dtype="int8").dtype == np.int8
    assert UTILS.to_categorical([[1, 0]]).shape == (1, 2, 2)


def test_arrays_get_length_one() -> None:
    x = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(UTILS.normalize(x), [[0.6, 0.8], [0.0, 0.0]])
    np.testing.assert_allclose(UTILS.normalize(x, axis=0, order=1), [[1.0, 1.0], [0.0, 0.0]])


def test_a_sequence_yields_its_batches_once() -> None:
    class Squares(UTILS.Sequence):
        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: int) -> int:
            return index * index

    assert list(Squares()) == [0, 1, 4]
    with pytest.raises(NotImplementedError):
        len(UTILS.Sequence())


def test_files_are_downloaded_checked_and_unpacked(tmp_path, capsys):
    source = tmp_path / "a.txt"
    source.write_text("hello")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(source, arcname="src/a.txt")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(source, "z/a.txt")
    site, cache = tmp_path.as_uri(), str(tmp_path / "cache")
    get_file = tf.keras.utils.get_file
    digest = "5d41402abc4b2a76b9719d911017c592"
    path = get_file("x.txt", f"{site}/a.txt", cache_dir=cache, file_hash=digest)
    assert path == f"{cache}/datasets/x.txt" and Path(path).read_text() == "hello"
    assert capsys.readouterr().out == f"Downloading data from {site}/a.txt\n"
    get_file("x.txt", f"{site}/a.txt", cache_dir=cache, file_hash=digest)
    assert capsys.readouterr().out == ""
    folder = get_file("src", f"{site}/a.tar.gz", untar=True, cache_dir=cache)
    assert Path(f"{folder}/a.txt").read_text() == "hello"
    get_file("a.zip", f"{site}/a.zip", extract=True, cache_dir=cache, cache_subdir="zip")
    assert Path(f"{cache}/zip/z/a.txt").read_text() == "hello"
    with pytest.raises(OSError, match=r"URL fetch failure on .*the md5 hash is 5d41"):
        get_file("bad.txt", f"{site}/a.txt", cache_dir=cache, file_hash="00")


def test_several_gpus_must_exist():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    with pytest.raises(ValueError, match=r"call `multi_gpu_model` with `gpus >= 2`"):
        tf.keras.utils.multi_gpu_model(model, gpus=1)
    with pytest.raises(ValueError, match="Try reducing `gpus`"):
        tf.keras.utils.multi_gpu_model(model, gpus=[97, 98])


def test_sources_of_tensors():
    a, b = tf.keras.layers.Input((3,)), tf.keras.layers.Input((3,))
    layer = tf.keras.layers.Dense(2)
    found = tf.keras.utils.get_source_inputs(tf.keras.layers.add([layer(a), layer(b)]))
    assert [x is y for x, y in zip(found, [a, b], strict=True)] == [True, True]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("CosineDecay", {"decay_steps": 10, "alpha": 0.1}, [0.1, 0.055, 0.01]),
        ("CosineDecayRestarts", {"first_decay_steps": 4, "alpha": 0.1}, [0.1, 0.09657, 0.1]),
        ("LinearCosineDecay", {"decay_steps": 10}, [0.1001, 0.0251, 0.0001]),
    ],
)
def test_decays_with_a_cosine(name, arguments, expected):
    decay = getattr(tf.keras.experimental, name)(0.1, **arguments)
    assert type(decay).from_config(decay.get_config()).get_config() == decay.get_config()
    rates = [decay(tf.constant(step)) for step in (0, 5, 12)]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(rates), expected, rtol=1e-3)


def test_reviews_and_newswires(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    folder = tmp_path / ".keras" / "datasets"
    folder.mkdir(parents=True)
    texts = np.empty(6, object)
    texts[:] = [[1, 5, 9], [2, 3], [4] * 8, [1], [2, 2], [7]]
    np.savez(
        folder / "imdb.npz",
        x_train=texts[:3],
        y_train=np.array([0, 1, 1]),
        x_test=texts[3:],
        y_test=np.array([1, 0, 0]),
    )
    (folder / "imdb_word_index.json").write_text('{"the": 1}')
    imdb = tf.keras.datasets.imdb
    (x, y), (x_test, _) = imdb.load_data(num_words=8)
    assert sorted(map(list, x)) == [[1, 4, 2, 2], [1, 5, 6], [1, *[7] * 8]]
    assert len(y) == len(x_test) == 3
    assert imdb.get_word_index() == {"the": 1}
    with pytest.raises(ValueError, match="After filtering for sequences shorter than maxlen=1"):
        imdb.load_data(maxlen=1)
    np.savez(folder / "reuters.npz", x=texts, y=np.arange(6))
    (x, y), (x_test, _) = tf.keras.datasets.reuters.load_data(test_split=0.5)
    assert len(x) == len(y) == len(x_test) == 3 and all(text[0] == 1 for text in x)


def test_requirements_of_inputs_have_a_configuration():
    spec = tf.keras.layers.InputSpec(ndim=3, axes={1: 2}, dtype="float32")
    config = spec.get_config()
    assert config == {
        "dtype": "float32",
        "shape": None,
        "ndim": 3,
        "max_ndim": None,
        "min_ndim": None,
        "axes": {1: 2},
    }
    assert tf.layers.InputSpec.from_config(config).get_config() == config
    assert tf.keras.layers.InputSpec.from_config({"shape": (None, 3)}).ndim == 2
