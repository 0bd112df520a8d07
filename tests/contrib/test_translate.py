"""The data and the model of the translation tutorial."""

from __future__ import annotations

import gzip
import random
import tarfile
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

data_utils = tf.models.rnn.translate.data_utils
seq2seq_model = tf.models.rnn.translate.seq2seq_model


def test_words():
    assert data_utils.basic_tokenizer('"I go", he said.') == [
        b'"', b"I", b"go", b'"', b",", b"he", b"said", b"."
    ]  # fmt: skip
    vocabulary = {b"go": 4, b"I": 5, b"000": 6}
    assert data_utils.sentence_to_token_ids("I go far", vocabulary) == [5, 4, data_utils.UNK_ID]
    assert data_utils.sentence_to_token_ids(b"go 123", vocabulary) == [4, 6]
    assert data_utils.sentence_to_token_ids("go 123", vocabulary, normalize_digits=False) == [4, 3]
    upper = data_utils.sentence_to_token_ids("i", vocabulary, lambda text: [text.upper()])
    assert upper == [5]


def test_vocabulary(tmp_path, capsys):
    (tmp_path / "text").write_bytes("b a b\nça b 12 34 a\n".encode())
    path = str(tmp_path / "vocabulary")
    data_utils.create_vocabulary(path, str(tmp_path / "text"), 7)
    assert capsys.readouterr().out.startswith("Creating vocabulary ")
    data_utils.create_vocabulary(path, str(tmp_path / "none"), 7)  # it exists
    vocabulary, words = data_utils.initialize_vocabulary(path)
    assert words == [b"_PAD", b"_GO", b"_EOS", b"_UNK", b"b", b"00", b"a"]
    assert vocabulary[b"a"] == 6
    data_utils.data_to_token_ids(str(tmp_path / "text"), str(tmp_path / "ids"), path)
    assert (tmp_path / "ids").read_text() == "4 6 4\n3 4 5 5 6\n"
    with pytest.raises(ValueError, match="Vocabulary file none not found"):
        data_utils.initialize_vocabulary("none")


def test_a_notice_tells_of_the_made_up_sentences(tmp_path, capsys):
    paths = data_utils.prepare_wmt_data(str(tmp_path), 100, 90)
    assert "USING MADE-UP SENTENCES" in capsys.readouterr().err
    counts = [len(Path(path).read_text().splitlines()) for path in paths]
    assert counts[:4] == [2000, 2000, 100, 100] and counts[4] < 40 and counts[5] < 50
    _, words = data_utils.initialize_vocabulary(paths[4])
    for path in (paths[0], paths[2]):
        for line in Path(path).read_text().splitlines():
            assert all(data_utils.UNK_ID < int(word) < len(words) for word in line.split())


def test_the_real_corpora_come_first(tmp_path, capsys):
    for archive, names in (
        ("training-giga-fren.tar", ["giga-fren.release2.en", "giga-fren.release2.fr"]),
        ("dev-v2.tgz", ["newstest2013.en", "newstest2013.fr"]),
    ):
        with tarfile.open(tmp_path / archive, "w:gz" if archive.endswith("tgz") else "w") as packed:
            for name in names:
                text = f"words of {name}\n".encode()
                zipped = archive.endswith("tar")  # as in the real archives
                (tmp_path / "part").write_bytes(gzip.compress(text) if zipped else text)
                packed.add(tmp_path / "part", f"dev/{name}.gz" if zipped else f"dev/{name}")
    paths = data_utils.prepare_wmt_data(str(tmp_path), 10, 10)
    assert paths[0] == str(tmp_path / "giga-fren.release2.ids10.en")
    assert data_utils.get_wmt_enfr_dev_set(str(tmp_path)) == str(tmp_path / "newstest2013")
    assert (tmp_path / "giga-fren.release2.en").read_text() == "words of giga-fren.release2.en\n"
    assert (tmp_path / "newstest2013.fr").read_text() == "words of newstest2013.fr\n"
    assert capsys.readouterr().err == ""


def test_other_corpora(tmp_path):
    for name in ("a", "b", "c", "d"):
        (tmp_path / name).write_text(f"words of {name}\n")
    texts = [str(tmp_path / name) for name in ("a", "b", "c", "d")]
    paths = data_utils.prepare_data(str(tmp_path), *texts, 10, 9)
    ids = [f"{text}.ids{size}" for text, size in zip(texts, (10, 9, 10, 9))]
    vocabularies = [str(tmp_path / name) for name in ("vocab10.from", "vocab9.to")]
    assert list(paths) == [*ids, *vocabularies]
    assert (tmp_path / "c.ids10").read_text() == "6 5 3\n"


def make_model(buckets=((3, 4), (5, 10)), **changed):
    options = {"num_samples": 8, **changed}
    return seq2seq_model.Seq2SeqModel(12, 12, buckets, 16, 1, 5.0, 4, 0.5, 0.9, **options)


def test_batches_are_reversed_and_padded():
    model = make_model()
    data = {1: [([7, 8, 9], [4, 5, 6, data_utils.EOS_ID])]}  # "I go ." and "Je vais ."
    sources, targets, weights = model.get_batch(data, 1)
    assert np.stack(sources)[:, 0].tolist() == [0, 0, 9, 8, 7]
    assert np.stack(targets)[:, 0].tolist() == [1, 4, 5, 6, 2, 0, 0, 0, 0, 0]
    assert np.stack(weights)[:, 0].tolist() == [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    with (
        tf.Session() as session,
        pytest.raises(
            ValueError, match=r"Decoder length must be equal to the one in bucket, 9 != 10\."
        ),
    ):
        model.step(session, sources, targets[1:], weights, 1, False)


def test_a_trained_model_translates(tmp_path):
    """Words become those with numbers that are greater by two."""
    random.seed(3)
    sentences = [[a, b] for a in range(4, 8) for b in range(4, 8)]
    pairs = [(words, [a + 2 for a in words] + [data_utils.EOS_ID]) for words in sentences]
    data, buckets = [pairs], [(3, 4)]
    path = str(tmp_path / "model")
    config = tf.ConfigProto()  # compiling would take most of the time
    config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.OFF
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        tf.set_random_seed(1)
        model = make_model(buckets)
        session.run(tf.global_variables_initializer())
        losses = []
        for _ in range(150):
            norm, loss, scores = model.step(session, *model.get_batch(data, 0), 0, False)
            losses.append(loss)
        assert norm > 0.0 and scores is None
        assert np.mean(losses[-20:]) < 0.5 * np.mean(losses[:20])
        assert session.run(model.global_step) == 150
        session.run(model.learning_rate_decay_op)
        assert session.run(model.learning_rate) == pytest.approx(0.45)
        model.saver.save(session, path, write_meta_graph=False)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        model = make_model(buckets, forward_only=True)
        model.saver.restore(session, path)
        batch = model.get_batch(data, 0)
        norm, loss, scores = model.step(session, *batch, 0, True)
        assert norm is None and loss < 2.0
        assert np.shape(scores) == (4, 4, 12)
        first_words = np.argmax(scores[0], 1)
        wanted = batch[0][-1] + 2
        assert (first_words == wanted).sum() >= 2


def test_small_vocabularies_have_the_whole_softmax():
    model = make_model(num_samples=512, use_lstm=True, dtype=tf.float64)
    assert {variable.dtype.base_dtype for variable in tf.trainable_variables()} == {tf.float64}
    names = [variable.op.name for variable in tf.trainable_variables()]
    assert not any("proj_w" in name for name in names)
    assert len(model.updates) == len(model.losses) == 2
