"""Translates English to French with an encoder and a decoder with attention.

Trains until it is stopped, prints perplexities, and writes checkpoints; with --decode, translates
what is typed.

    python translate.py --data_dir data --train_dir model --size 64 --num_layers 1
    python translate.py --data_dir data --train_dir model --size 64 --num_layers 1 --decode
"""

import math
import random
import sys
import time

import numpy as np
import tensorflow as tf
from tensorflow.models.rnn.translate import data_utils, seq2seq_model

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_float("learning_rate", 0.5, "Learning rate.")
flags.DEFINE_float("learning_rate_decay_factor", 0.99, "What the learning rate decays by.")
flags.DEFINE_float("max_gradient_norm", 5.0, "Norm that gradients are clipped to.")
flags.DEFINE_integer("batch_size", 64, "Number of sentences of a step.")
flags.DEFINE_integer("size", 1024, "Units of each layer.")
flags.DEFINE_integer("num_layers", 3, "Number of layers.")
flags.DEFINE_integer("en_vocab_size", 40000, "Size of the English vocabulary.")
flags.DEFINE_integer("fr_vocab_size", 40000, "Size of the French vocabulary.")
flags.DEFINE_string("data_dir", "/tmp/translate_data", "Folder of the corpora.")
flags.DEFINE_string("train_dir", "/tmp/translate", "Folder of checkpoints.")
flags.DEFINE_integer("max_train_data_size", 0, "Most sentences to train with; 0 for all.")
flags.DEFINE_integer("steps_per_checkpoint", 200, "Steps from one checkpoint to the next.")
flags.DEFINE_integer("max_steps", 0, "Number of steps to train; 0 for no end.")
flags.DEFINE_boolean("decode", False, "Whether to translate what is typed.")
flags.DEFINE_boolean("self_test", False, "Whether to run a few steps of a tiny model.")

# The most words of sentences and translations. Each pair has a graph of its own.
_buckets = [(5, 10), (10, 15), (20, 25), (40, 50)]


def read_data(source_path, target_path, max_size=None):
    """Reads pairs of sentences; each goes into the first bucket that is long enough.

    Returns:
        Lists of (numbers of a sentence, numbers of its translation and of the end), one for each
        bucket.
    """
    pairs = [[] for _ in _buckets]
    with tf.gfile.GFile(source_path) as sources, tf.gfile.GFile(target_path) as targets:
        for number, (source_line, target_line) in enumerate(zip(sources, targets)):
            if max_size and number >= max_size:
                break
            source = [int(word) for word in source_line.split()]
            target = [*(int(word) for word in target_line.split()), data_utils.EOS_ID]
            for bucket, (source_size, target_size) in zip(pairs, _buckets):
                if len(source) < source_size and len(target) < target_size:
                    bucket.append((source, target))
                    break
    return pairs


def create_model(session, forward_only):
    """Builds the model, and reads or initializes its parameters."""
    model = seq2seq_model.Seq2SeqModel(
        FLAGS.en_vocab_size,
        FLAGS.fr_vocab_size,
        _buckets,
        FLAGS.size,
        FLAGS.num_layers,
        FLAGS.max_gradient_norm,
        FLAGS.batch_size,
        FLAGS.learning_rate,
        FLAGS.learning_rate_decay_factor,
        forward_only=forward_only,
    )
    checkpoint = tf.train.latest_checkpoint(FLAGS.train_dir)
    if checkpoint:
        print(f"Reading model parameters from {checkpoint}")
        model.saver.restore(session, checkpoint)
    else:
        print("Created model with fresh parameters.")
        session.run(tf.initialize_all_variables())
    return model


def perplexity(loss):
    return math.exp(loss) if loss < 300 else float("inf")


def evaluate(session, model, data):
    """Prints the perplexity of one batch of each bucket."""
    for bucket_id, pairs in enumerate(data):
        if not pairs:
            print(f"  eval: empty bucket {bucket_id}")
            continue
        batch = model.get_batch(data, bucket_id)
        _, loss, _ = model.step(session, *batch, bucket_id, True)
        print(f"  eval: bucket {bucket_id} perplexity {perplexity(loss):.2f}", flush=True)


def train():
    """Trains, and saves a checkpoint now and then."""
    print(f"Preparing WMT data in {FLAGS.data_dir}")
    en_train, fr_train, en_dev, fr_dev, _, _ = data_utils.prepare_wmt_data(
        FLAGS.data_dir, FLAGS.en_vocab_size, FLAGS.fr_vocab_size
    )
    tf.gfile.MakeDirs(FLAGS.train_dir)
    with tf.Session() as session:
        print(f"Creating {FLAGS.num_layers} layers of {FLAGS.size} units.")
        model = create_model(session, False)
        print(f"Reading development and training data (limit: {FLAGS.max_train_data_size}).")
        dev_data = read_data(en_dev, fr_dev)
        train_data = read_data(en_train, fr_train, FLAGS.max_train_data_size)
        sizes = [len(pairs) for pairs in train_data]

        seconds = loss = 0.0
        losses = []
        current_step = 0
        while not FLAGS.max_steps or current_step < FLAGS.max_steps:
            # Buckets are drawn as often as they have sentences.
            bucket_id = random.choices(range(len(_buckets)), sizes)[0]
            start = time.time()
            batch = model.get_batch(train_data, bucket_id)
            _, step_loss, _ = model.step(session, *batch, bucket_id, False)
            seconds += (time.time() - start) / FLAGS.steps_per_checkpoint
            loss += step_loss / FLAGS.steps_per_checkpoint
            current_step += 1

            if current_step % FLAGS.steps_per_checkpoint == 0:
                print(
                    f"global step {session.run(model.global_step)} "
                    f"learning rate {session.run(model.learning_rate):.4f} "
                    f"step-time {seconds:.2f} perplexity {perplexity(loss):.2f}",
                    flush=True,
                )
                if len(losses) > 2 and loss > max(losses[-3:]):
                    session.run(model.learning_rate_decay_op)
                losses.append(loss)
                path = f"{FLAGS.train_dir}/translate.ckpt"
                model.saver.save(session, path, global_step=model.global_step)
                seconds = loss = 0.0
                evaluate(session, model, dev_data)


def decode():
    """Translates the lines of the standard input."""
    with tf.Session() as session:
        FLAGS.batch_size = 1
        model = create_model(session, True)
        vocabulary, _ = data_utils.initialize_vocabulary(
            f"{FLAGS.data_dir}/vocab{FLAGS.en_vocab_size}.en"
        )
        _, words = data_utils.initialize_vocabulary(
            f"{FLAGS.data_dir}/vocab{FLAGS.fr_vocab_size}.fr"
        )
        print("> ", end="", flush=True)
        for sentence in sys.stdin:
            numbers = data_utils.sentence_to_token_ids(sentence, vocabulary)
            fitting = [place for place, (size, _) in enumerate(_buckets) if len(numbers) < size]
            if not fitting:
                print(f"Sentence too long: {len(numbers)} words")
            else:
                batch = model.get_batch({fitting[0]: [(numbers, [])]}, fitting[0])
                _, _, scores = model.step(session, *batch, fitting[0], True)
                found = [int(np.argmax(score)) for score in scores]
                if data_utils.EOS_ID in found:
                    found = found[: found.index(data_utils.EOS_ID)]
                print(" ".join(tf.compat.as_str(words[number]) for number in found))
            print("> ", end="", flush=True)


def self_test():
    """Runs a few steps of a tiny model."""
    print("Self-test for neural translation model.")
    with tf.Session() as session:
        model = seq2seq_model.Seq2SeqModel(
            10, 10, [(3, 3), (6, 6)], 32, 2, 5.0, 32, 0.3, 0.99, num_samples=8
        )
        session.run(tf.initialize_all_variables())
        data = (
            [([1, 1], [2, 2]), ([3, 3], [4]), ([5], [6])],
            [([1, 1, 1, 1, 1], [2, 2, 2, 2, 2]), ([3, 3, 3], [5, 6])],
        )
        for _ in range(5):
            bucket_id = random.choice([0, 1])
            model.step(session, *model.get_batch(data, bucket_id), bucket_id, False)


def main(_):
    if FLAGS.self_test:
        self_test()
    elif FLAGS.decode:
        decode()
    else:
        train()


if __name__ == "__main__":
    tf.app.run()
