"""The same cases in Headwater and in TensorFlow 1.15.5: what they print and raise is equal."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

import headwater as tf
from headwater.compat import install as hook

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("differential_running", HERE / "running.py")
running = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(running)
# Whole models, many cells or metrics at once, optimizers over many steps: seconds each; the parts
# have cases of their own.
SLOW = {
    "contrib_metrics": ("exact areas",),
    "contrib_opt": (
        "values of preconditioned tensors",
        "values of dense updates",
        "values of full matrices of the last gradients",
        "values of sparse updates",
        "values with weight decay",
    ),
    "crf": ("sequences of unknown length", "training"),
    "factorization": ("mixtures of normal distributions",),
    "gradients_in_slices": ("rows of the result of a loop",),
    "kmeans": ("k-means of all points",),
    "learning_rate_decay": ("values of all decays",),
    "optimizer_v2": ("steps of all optimizers",),
    "optimizers": ("sparse steps of every optimizer", "twenty steps of every optimizer"),
    "rnn_cells": ("values of dropout",),
    "rnn_dynamic": ("values of dynamic networks",),
    "rnn_lengths": ("values with lengths",),
    "rnn_training": (
        "a classifier over residual layers with variational dropout",
        "a language model, unrolled",
        "a tagger with a dynamic network of both directions",
    ),
    "seq2seq_attention": ("values of decoding with attention",),
    "seq2seq_beam_search": ("beam search with a sorted history",),
    "seq2seq_decoding": ("values of decoding",),
    "seq2seq_training": (
        "monotonic attention over two layers, trained",
        "scheduled sampling, trained",
        "translation with attention, trained",
    ),
    "signal_frames": ("frames",),
}
OF_SLOW = [pytest.mark.slow, pytest.mark.timeout(600)]
ALL = [
    pytest.param(
        path.stem,
        title,
        code,
        id=f"{path.stem}-{title.replace(' ', '_')}",
        marks=OF_SLOW if title in SLOW.get(path.stem, ()) else [],
    )
    for path in sorted((HERE / "cases").glob("*.py"))
    for title, code in running.cases_of(path.read_text(encoding="utf-8")).items()
]
GOLDEN = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in (HERE / "golden").glob("*.json")
}


@pytest.fixture(autouse=True)
def tensorflow():
    """Lets cases import internal modules by their names in TensorFlow."""
    hook.install()
    yield
    hook.uninstall()


# TensorFlow warns of it too, in a case that has a seed for the graph on purpose.
@pytest.mark.filterwarnings("ignore:Seed .* from outer graph:UserWarning")
@pytest.mark.parametrize(("file", "title", "code"), ALL)
def test_case(file, title, code):
    assert running.outcome(tf, code, title).splitlines() == GOLDEN[file][title].splitlines()


def test_slow_cases_exist():
    names = {case.values[:2] for case in ALL}
    assert {(file, title) for file, titles in SLOW.items() for title in titles} <= names
