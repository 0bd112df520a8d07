"""textgenrnn 1.5: the pretrained network of the package, trained on, generating, saved."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf

np.random.seed(1)
tf.set_random_seed(1)
from textgenrnn import textgenrnn

os.chdir(tempfile.mkdtemp())
net = textgenrnn()
text = net.generate(1, temperature=0.1, return_as_list=True, max_gen_length=20)[0]
vector = net.encode_text_vectors(["hello world", "good day"], pca_dims=None)
texts = ["the cat sat on the mat", "the dog sat on the log", "a cat and a dog"] * 5
net.train_on_texts(texts, num_epochs=1, batch_size=32, gen_epochs=0, verbose=0)
net.save("weights.hdf5")
again = textgenrnn("weights.hdf5")
np.testing.assert_allclose(
    again.encode_text_vectors(["hello"], pca_dims=None),
    net.encode_text_vectors(["hello"], pca_dims=None),
    rtol=1e-4,
    atol=1e-5,
)
print(json.dumps({"length": len(text), "vector": np.asarray(vector)[:, :4].ravel().tolist()}))
