"""The libraries that the tests marked `ecosystem` install, and the program that each runs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent


class Library(NamedTuple):
    """A release of a library; `requirements/NAME.txt` says what is installed for it.

    Attributes:
        name: library and version.
        program: the file in `programs` that uses it.
        what: what the program does with it, for docs/libraries.md.
        tolerance: how far numbers may be from those of TensorFlow, relatively.
    """

    name: str
    program: str
    what: str
    tolerance: float

    @property
    def requirements(self) -> Path:
        """The file for `pip install --no-deps -r`."""
        return FOLDER / "requirements" / f"{self.name}.txt"

    @property
    def source(self) -> Path:
        """The program."""
        return FOLDER / "programs" / f"{self.program}.py"

    @property
    def golden(self) -> Path:
        """What TensorFlow's release printed, with the times."""
        return FOLDER / "golden" / f"{self.name}.json"


LIBRARIES = (
    Library(
        "keras-2.2.5",
        "keras_mlp",
        "convolutions, batch norm, LSTM, `fit` with callbacks, models and weights in HDF5 and back",
        1e-3,
    ),
    Library(
        "keras-2.3.1",
        "keras_mlp",
        "the same program with the last release of multi-backend Keras",
        1e-3,
    ),
    Library("mtcnn-0.0.9", "mtcnn_faces", "finds a drawn face with the published weights", 1e-4),
    Library(
        "textgenrnn-1.5.0",
        "textgenrnn_text",
        "generates text, encodes, trains on, saves and loads weights",
        1e-3,
    ),
    Library(
        "gpflow-1.5.1",
        "gpflow_regression",
        "GPR by L-BFGS, sparse variational GP by Adam, predictions, Saver",
        1e-5,
    ),
    Library(
        "tensorlayer-1.11.1",
        "tensorlayer_mlp",
        "convolution, batch norm and dense layers, minibatches, parameters in .npz and back",
        1e-3,
    ),
    Library(
        "tensorpack-0.9.8",
        "tensorpack_trainer",
        "ModelDesc, dataflow, QueueInput, SimpleTrainer, ModelSaver, InferenceRunner, predictor",
        1e-3,
    ),
    Library(
        "tensorforce-0.4.4",
        "tensorforce_agent",
        "PPO and VPG agents act, learn, save and restore",
        1e-3,
    ),
    Library(
        "tensorflow-probability-0.8.0",
        "probability_models",
        "densities, samples, divergences, bijectors and flows, HMC, variational layers of "
        "tf.keras, BFGS, Langevin dynamics, Saver",
        1e-4,
    ),
    Library(
        "dm-sonnet-1.36",
        "sonnet_modules",
        "modules, variable scopes, LSTM core, batch norm, gradient descent, Saver",
        1e-3,
    ),
    Library(
        "trfl-1.2.0",
        "trfl_agents",
        "Q-learning, returns, actor-critic, V-trace, distributional losses, target networks, Saver",
        1e-3,
    ),
    Library(
        "tf-slim-1.1.0",
        "slim_convnet",
        "arg_scope, batch norm, `learning.train`, evaluation, assignment from a checkpoint",
        1e-3,
    ),
    Library(
        "tensorflow-hub-0.7.0",
        "hub_modules",
        "a module is made, exported, loaded, trained, used as a feature column and exported again",
        1e-4,
    ),
    Library(
        "bert-tensorflow-1.0.1",
        "bert_classifier",
        "tokenizer, model, optimizer with warm-up, Saver, init_from_checkpoint",
        1e-3,
    ),
    Library(
        "tflearn-0.3.2",
        "tflearn_networks",
        "convolution, batch norm, LSTM, `DNN.fit` with metrics and callbacks, save and load",
        1e-3,
    ),
    Library(
        "deepctr-0.7.5",
        "deepctr_models",
        "DeepFM of tf.keras, `fit`, weights in HDF5 and back",
        1e-3,
    ),
    Library(
        "tensorflow-estimator-1.15.1",
        "estimator_package",
        "its `DNNClassifier`, `Estimator`, `train_and_evaluate`, `BoostedTreesClassifier`, export",
        1e-3,
    ),
    Library(
        "adanet-0.8.0",
        "adanet_ensembles",
        "an Estimator that searches ensembles: trains, evaluates, predicts from its files",
        1e-3,
    ),
    Library(
        "tensorflow-ranking-0.2.2",
        "ranking_losses",
        "Estimators that rank lists, four losses, NDCG and MRR",
        1e-3,
    ),
    Library(
        "tensorflow-privacy-0.2.2",
        "private_optimizers",
        "optimizers with clipped gradients and noise, the spent privacy, Saver",
        1e-3,
    ),
)

# Libraries and what they need that Headwater does not have, for the page.
OUT_OF_REACH = (
    (
        "`tfp.experimental.auto_batching`, `tfp.experimental.mcmc.NoUTurnSampler`",
        "`tensorflow.python.autograph.pyct` and its converters, which transform trees of gast",
    ),
    ("textgenrnn 2, tensorforce 0.5", "not tried since there is `tf.keras`"),
    (
        "edward 1.3.5",
        "`ed.copy`: nodes that get their inputs after they are made (`Operation._add_input`), "
        "which 1.15.5 does not have either",
    ),
    (
        "prettytensor 0.7.4",
        "the collection of variable scopes of release 1.0; 1.15.5 cannot run it either",
    ),
    (
        "files of old NumPy and h5py",
        "strings in HDF5 datasets",
    ),
)
