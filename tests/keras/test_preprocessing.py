"""tf.keras.preprocessing, with the values of TensorFlow 1.15.5 for the same seeds."""

import random

import numpy as np
import pytest

import headwater as tf

sequence = tf.keras.preprocessing.sequence
text = tf.keras.preprocessing.text
image = tf.keras.preprocessing.image
IMAGES = np.random.RandomState(1).randint(0, 256, (10, 12, 10, 3)).astype("f4")
LABELS = np.arange(10) % 2


def summed(array):
    """The sum, and the sum weighted by position."""
    array = np.asarray(array, "f8")
    positions = np.arange(array.size).reshape(array.shape)
    return round(array.sum(), 2), round((array * positions).sum() / array.size, 2)


def test_sequences_are_padded():
    rows = [[1], [1, 2], [1, 2, 3]]
    pad = sequence.pad_sequences
    assert pad(rows).tolist() == [[0, 0, 1], [0, 1, 2], [1, 2, 3]]
    assert pad(rows, 2, truncating="post").tolist() == [[0, 1], [1, 2], [1, 2]]
    assert pad(rows, 4, padding="post", value=-1)[0].tolist() == [1, -1, -1, -1]
    assert pad([[[1, 2]], [[3, 4], [5, 6]]]).tolist()[0] == [[0, 0], [1, 2]]
    assert pad([["a", "bb"], ["c"]], dtype=object, value="-").tolist()[1] == ["-", "c"]
    for arguments, error in (
        ({"padding": "foo"}, 'Padding type "foo" not understood'),
        ({"truncating": "foo", "maxlen": 1}, 'Truncating type "foo" not understood'),
        ({"value": "x"}, "`dtype` int32 is not compatible with `value`'s type"),
    ):
        with pytest.raises(ValueError, match=error):
            pad(rows, **arguments)
    with pytest.raises(ValueError, match="Found non-iterable: 1"):
        pad([1, 2])


def test_skip_grams():
    np.testing.assert_allclose(
        sequence.make_sampling_table(3, 1.0), [0.9968283, 0.9968283, 1.0], 1e-6
    )
    random.seed(3)
    couples, labels = sequence.skipgrams([1, 2, 0, 3], 5, window_size=1, shuffle=False)
    assert couples[:2] == [[1, 2], [2, 1]] and labels == [1, 1, 0, 0]
    assert all(1 <= other < 5 for _, other in couples)


def test_windows_of_series():
    data = np.arange(20)[:, None]
    windows = sequence.TimeseriesGenerator(data, data, 6, sampling_rate=2, batch_size=3)
    assert len(windows) == 5
    x, y = windows[0]
    assert x[..., 0].tolist() == [[0, 2, 4], [1, 3, 5], [2, 4, 6]] and y[:, 0].tolist() == [6, 7, 8]
    assert windows[4][1][:, 0].tolist() == [18, 19]
    with pytest.raises(ValueError, match="Data and targets have to be of same length"):
        sequence.TimeseriesGenerator(data, data[1:], 3)
    with pytest.raises(ValueError, match="is disallowed, as no part of the sequence would be"):
        sequence.TimeseriesGenerator(data, data, 30)


def test_words_are_numbered_by_frequency():
    assert text.text_to_word_sequence("Hello, World! a-b") == ["hello", "world", "a", "b"]
    tokenizer = text.Tokenizer(num_words=4, oov_token="<o>")
    tokenizer.fit_on_texts(["The cat sat on the mat.", "The dog sat on the log!", "dogs and cats"])
    assert list(tokenizer.word_index)[:4] == ["<o>", "the", "sat", "on"]
    found = tokenizer.texts_to_sequences(["the cat sat", ["the", "dog"]])
    assert found == [[2, 1, 3], [2, 1]]
    assert tokenizer.sequences_to_texts(found) == ["the <o> sat", "the <o>"]
    rows = tokenizer.texts_to_matrix(["the cat the dog"], "freq")
    assert rows.tolist() == [[0.0, 0.5, 0.5, 0.0]]
    counts = text.Tokenizer(num_words=5)
    counts.fit_on_sequences([[1, 2], [2]])
    rarity = np.log(1 + 2 / np.array([2.0, 3.0]))
    found = counts.sequences_to_matrix([[1, 2, 2]], "tfidf")[0]
    np.testing.assert_allclose(found[1:3], [rarity[0], (1 + np.log(2)) * rarity[1]])
    with pytest.raises(ValueError, match="Unknown vectorization mode"):
        counts.sequences_to_matrix([[1]], "foo")
    assert text.hashing_trick("The cat sat", 10, "md5") == [
        int(__import__("hashlib").md5(w).hexdigest(), 16) % 9 + 1 for w in (b"the", b"cat", b"sat")
    ]


def test_images_are_transformed_at_random():
    x = IMAGES[0]
    np.random.seed(1)
    assert summed(image.random_rotation(x, 30, 0, 1, 2)) == (46619.28, 23397.54)
    shifted = image.random_shift(x, 0.3, 0.2, 0, 1, 2, fill_mode="constant", cval=3.0)
    assert summed(shifted) == (26468.06, 11765.94)
    assert summed(image.apply_brightness_shift(x, 1.3)) == (56534.0, 28547.71)
    assert summed(image.apply_channel_shift(x, 20.0, 2)) == (53371.0, 26852.19)
    with pytest.raises(ValueError, match="Expected image array to have rank 3"):
        image.array_to_img(x[0])
    with pytest.raises(ValueError, match="Unsupported channel number: 2"):
        image.array_to_img(x[:, :, :2])


def test_batches_of_images_have_the_order_and_transforms_of_tensorflow():
    generator = image.ImageDataGenerator(
        rotation_range=30,
        width_shift_range=0.2,
        height_shift_range=0.2,
        shear_range=10,
        zoom_range=0.2,
        channel_shift_range=20,
        horizontal_flip=True,
        vertical_flip=True,
        brightness_range=(0.5, 1.5),
    )
    batches = generator.flow(IMAGES, LABELS, batch_size=4, seed=5)
    assert len(batches) == 3
    x, y = next(batches)
    assert summed(x) == (183074.0, 96203.17) and y.tolist() == [1, 1, 0, 0]
    assert summed(next(batches)[0]) == (183697.0, 86853.43)
    centred = image.ImageDataGenerator(featurewise_center=True, featurewise_std_normalization=True)
    centred.fit(IMAGES, augment=True, seed=3)
    x, _ = next(centred.flow(IMAGES, LABELS, batch_size=4, seed=5))
    assert summed(x) == (12.92, 10.74)
    split = image.ImageDataGenerator(validation_split=0.2)
    assert len(split.flow(IMAGES, LABELS, batch_size=3, subset="training")) == 3
    with pytest.raises(ValueError, match="Training and validation subsets have different number"):
        split.flow(IMAGES, np.arange(10), subset="training")


def test_folders_of_images(tmp_path, capsys):
    for i in range(10):
        folder = tmp_path / ("cat" if i < 6 else "dog")
        folder.mkdir(exist_ok=True)
        image.save_img(folder / f"{i}.png", IMAGES[i])
    generator = image.ImageDataGenerator(rescale=1 / 255.0, validation_split=0.3)
    batches = generator.flow_from_directory(
        tmp_path, target_size=(8, 8), subset="validation", shuffle=False, class_mode="binary"
    )
    assert capsys.readouterr().out == "Found 2 images belonging to 2 classes.\n"
    assert batches.class_indices == {"cat": 0, "dog": 1}
    assert batches.filenames == ["cat/0.png", "dog/6.png"]
    x, y = batches.next()
    assert x.shape == (2, 8, 8, 3) and x.max() <= 1.0 and y.tolist() == [0.0, 1.0]
    loaded = image.load_img(tmp_path / "cat" / "0.png", target_size=(5, 7), color_mode="grayscale")
    assert image.img_to_array(loaded).shape == (5, 7, 1)
    with pytest.raises(ValueError, match="Invalid class_mode: x"):
        generator.flow_from_directory(tmp_path, class_mode="x")
    with pytest.raises(ValueError, match="Invalid interpolation method y specified"):
        image.load_img(tmp_path / "cat" / "0.png", target_size=(5, 7), interpolation="y")
