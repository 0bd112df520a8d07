"""bert-tensorflow 1.0.1: the model, its optimizer with warm-up, a TPUEstimator on the CPU."""

import json
import tempfile

import numpy as np
import tensorflow as tf
from bert import modeling, optimization, tokenization
from bert.run_classifier import InputExample, convert_examples_to_features

found = {}
folder = tempfile.mkdtemp()
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "bad", "film", "very", "##ly", "a"]
with open(folder + "/vocab.txt", "w") as file:
    file.write("\n".join(words))
tokenizer = tokenization.FullTokenizer(folder + "/vocab.txt")
found["tokens"] = tokenizer.tokenize("A veryly GOOD film!")
texts = ["a good film", "a bad film", "very good", "very bad"] * 4
examples = [
    InputExample(str(i), text, None, str(int("good" in text))) for i, text in enumerate(texts)
]
features = convert_examples_to_features(examples, ["0", "1"], 8, tokenizer)
ids = np.array([f.input_ids for f in features], np.int32)
mask = np.array([f.input_mask for f in features], np.int32)
segments = np.array([f.segment_ids for f in features], np.int32)
labels = np.array([f.label_id for f in features], np.int32)
found["ids"] = ids[:2].tolist()

config = modeling.BertConfig(
    vocab_size=10, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=32, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    max_position_embeddings=16,
)  # fmt: skip
tf.set_random_seed(3)
model = modeling.BertModel(config, True, tf.constant(ids), tf.constant(mask), tf.constant(segments))
logits = tf.layers.dense(
    model.get_pooled_output(), 2, kernel_initializer=modeling.create_initializer(0.02)
)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
step = optimization.create_optimizer(loss, 2e-3, 60, 5, False)
saver = tf.train.Saver()
found["variables"] = len(tf.trainable_variables())
found["names"] = [v.op.name for v in tf.trainable_variables()][:8]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    losses = []
    for _ in range(40):
        losses.append(float(session.run(loss)))
        session.run(step)
    assert losses[-1] < 0.5 * losses[0], losses
    found["losses"] = losses[:3]
    path = saver.save(session, folder + "/model")
    trained = session.run(logits)
tf.reset_default_graph()
model = modeling.BertModel(
    config, False, tf.constant(ids), tf.constant(mask), tf.constant(segments)
)
logits = tf.layers.dense(model.get_pooled_output(), 2)
assignment, _ = modeling.get_assignment_map_from_checkpoint(tf.trainable_variables(), path)
tf.train.init_from_checkpoint(path, assignment)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    np.testing.assert_allclose(session.run(logits), trained, rtol=1e-3, atol=1e-4)
print(json.dumps(found))
