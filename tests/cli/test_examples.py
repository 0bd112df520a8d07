"""The programs of examples/, run as users run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def run_example(tmp_path):
    """A function that runs an example in an empty folder without network and returns its output."""

    def run(name: str, *arguments: str, text: str = "") -> str:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        # A process of its own: most examples leave a session open, as the tutorials do.
        result = subprocess.run(
            [sys.executable, "-m", "headwater", "run", str(ROOT / "examples" / name), *arguments],
            capture_output=True,
            input=text,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, "HEADWATER_OFFLINE": "1"},
            check=False,
        )
        assert result.returncode == 0, result.stderr
        assert "Exception ignored" not in result.stderr
        return result.stdout

    return run


def numbers(text: str) -> list[float]:
    return [float(word) for word in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def test_linear_fit(run_example):
    last = run_example("linear_fit.py").splitlines()[-1]
    np.testing.assert_allclose(numbers(last), [200, 0.1, 0.3], atol=1e-3)


def test_basic_usage(run_example):
    # As TensorFlow 0.12.1 prints it, for NumPy 1.14 and later.
    assert run_example("basic_usage.py").splitlines() == [
        "[[12.]]",
        "[array([[12.]], dtype=float32)]",
        "[-2. -1.]",
        "0",
        "1",
        "2",
        "3",
        "[array([21.], dtype=float32), array([7.], dtype=float32)]",
        "[array([14.], dtype=float32)]",
    ]


@pytest.mark.slow
def test_polynomial_fit(run_example):
    lines = run_example("polynomial_fit.py").splitlines()
    assert len(lines) == 1000 + 3
    first, *_, last = lines[:1000]
    assert float(last) < float(first) / 100
    np.testing.assert_allclose(numbers(" ".join(lines[1000:]))[0], 5, atol=0.2)


@pytest.mark.slow
def test_mnist_softmax(run_example):
    accuracy = float(run_example("mnist_softmax.py"))
    assert 0.87 < accuracy < 0.93


@pytest.mark.slow
def test_mnist_convnet(run_example):
    lines = run_example("mnist_convnet.py", "--steps", "2").splitlines()
    assert re.fullmatch(r"step 0, training accuracy 0(\.\d+)?", lines[0])
    assert re.fullmatch(r"test accuracy 0\.\d+", lines[1])


@pytest.mark.slow
def test_fully_connected_feed(run_example, tmp_path):
    lines = run_example("fully_connected_feed.py", "--max_steps", "300").splitlines()
    steps = [line for line in lines if line.startswith("Step ")]
    assert [numbers(line)[0] for line in steps] == [0, 100, 200]
    losses = [numbers(line)[1] for line in steps]
    assert losses[0] > losses[1] > losses[2]
    assert [line for line in lines if line.endswith("Eval:")] == [
        "Training Data Eval:",
        "Validation Data Eval:",
        "Test Data Eval:",
    ]
    files = {path.name for path in (tmp_path / "logs").iterdir()}
    assert {"checkpoint", "model.ckpt-299.index", "model.ckpt-299.meta"} <= files
    assert any(name.startswith("events.out.tfevents.") for name in files)


@pytest.mark.slow
def test_fully_connected_reader(run_example):
    lines = run_example("convert_to_records.py", "--validation_size", "1000").splitlines()
    names = ("train", "validation", "test")
    assert lines == [f"Writing MNIST_data/{name}.tfrecords" for name in names]
    *steps, done = run_example("fully_connected_reader.py", "--num_epochs", "3").splitlines()
    assert [numbers(line)[0] for line in steps] == [0, 100, 200]
    losses = [numbers(line)[1] for line in steps]
    assert losses[0] > losses[1] > losses[2]
    assert done == "Done training for 3 epochs, 270 steps."


@pytest.mark.slow
@pytest.mark.parametrize("where", ["preloaded", "preloaded_var"])
def test_fully_connected_preloaded(run_example, tmp_path, where):
    lines = run_example(f"fully_connected_{where}.py", "--num_epochs", "3").splitlines()
    *steps, saving, done = lines
    assert [numbers(line)[0] for line in steps] == [0, 100, 200]
    losses = [numbers(line)[1] for line in steps]
    assert losses[0] > losses[1] > losses[2]
    # Each of three summaries has taken one of 270 batches.
    assert (saving, done) == ("Saving", "Done training for 3 epochs, 267 steps.")
    files = {path.name for path in (tmp_path / "logs").iterdir()}
    assert "model.ckpt-267.index" in files


# Its input, network and loss have tests in tests/data; here it takes half a minute.
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_cifar10(run_example, tmp_path):
    shared = ["--data_dir", "data", "--batch_size", "16"]
    train = ["--train_dir", "train", "--max_steps", "31"]
    steps = run_example("cifar10_train.py", *shared, *train).splitlines()
    assert steps[0].startswith("Filling queue with 100 CIFAR images before starting to train.")
    losses = [float(re.findall(r"loss = (\d+\.\d\d) \(", line)[0]) for line in steps[1:]]
    assert len(losses) == 4 and losses[0] == pytest.approx(4.68, abs=0.02)
    assert min(losses) < losses[0] - 0.3
    files = {path.name for path in (tmp_path / "train").iterdir()}
    assert {"checkpoint", "model.ckpt-0.index", "model.ckpt-30.index"} <= files
    evaluation = ["--checkpoint_dir", "train", "--eval_dir", "eval", "--run_once"]
    found = run_example("cifar10_eval.py", *shared, *evaluation, "--num_examples", "48")
    assert re.fullmatch(r"\S+ \S+: precision @ 1 = [01]\.\d\d\d\n", found)
    towers = ["--train_dir", "towers", "--max_steps", "1", "--num_gpus", "2"]
    line = run_example("cifar10_multi_gpu_train.py", *shared, *towers).splitlines()[-1]
    assert "step 0, loss = 4.6" in line


# tests/contrib/test_translate.py trains the model; this compiles it for four pairs of lengths.
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_translate(run_example, tmp_path):
    assert run_example("translate.py", "--self_test").startswith("Self-test for neural translation")
    sizes = ["--size", "32", "--num_layers", "1", "--en_vocab_size", "60", "--fr_vocab_size", "60"]
    shared = ["--data_dir", "data", "--train_dir", "model", *sizes]
    train = ["--steps_per_checkpoint", "60", "--max_steps", "120"]
    lines = run_example("translate.py", *shared, *train).splitlines()
    steps = [line for line in lines if line.startswith("global step ")]
    assert [line.split()[2] for line in steps] == ["60", "120"]
    perplexities = [float(line.split()[-1]) for line in steps]
    assert perplexities[1] < 0.7 * perplexities[0] < 30
    assert sum(line.startswith("  eval: bucket ") for line in lines) >= 4
    decoded = run_example("translate.py", *shared, "--decode", text="I see it .\nyou sell it .\n")
    first, *translations = decoded.splitlines()
    assert first == "Reading model parameters from model/translate.ckpt-120"
    assert len(translations) == 3 and translations[0].startswith("> ")
    vocabulary = {*(tmp_path / "data" / "vocab60.fr").read_text().split(), ">"}
    assert {word for line in translations for word in line.split()} <= vocabulary


@pytest.mark.slow
def test_mandelbrot(run_example, tmp_path):
    run_example("mandelbrot.py")
    picture = np.asarray(PIL.Image.open(tmp_path / "mandelbrot.png"))
    assert picture.shape == (520, 600, 3)
    # The mean brightness in TensorFlow 0.12.1; points at the border may fall to either side.
    assert abs(picture.mean() - 50.29598) < 0.05
    np.testing.assert_array_equal(picture[260, 400], 0)


@pytest.mark.slow
def test_pond_pde(run_example, tmp_path):
    run_example("pond_pde.py")
    picture = np.asarray(PIL.Image.open(tmp_path / "pond.png"))
    assert picture.shape == (500, 500)
    # Waves around a level of 0, which is 127 between black and white.
    assert abs(picture.mean() - 127) < 1
    assert picture.std() > 5


# A few hundred steps; tests/contrib/learn has the same estimators with few.
@pytest.mark.slow
def test_iris_dnn(run_example):
    assert run_example("iris_dnn.py").splitlines()[-2:] == [
        "Accuracy: 0.966667",
        "Predictions: [1, 2]",
    ]


@pytest.mark.slow
def test_boston_input_fn(run_example):
    loss, prices = run_example("boston_input_fn.py").splitlines()[-2:]
    assert numbers(loss)[0] < 15
    assert len(numbers(prices)) == 6


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["wide", "deep", "wide_n_deep"])
def test_wide_n_deep(run_example, model_type):
    output = run_example("wide_n_deep.py", f"--model_type={model_type}", "--train_steps=1")
    results = dict(line.split(": ") for line in output.splitlines() if ": " in line)
    assert results["global_step"] == "1"
    assert 0 < float(results["accuracy"]) <= 1


@pytest.mark.slow
def test_experiment(run_example):
    assert run_example("experiment.py").splitlines()[-1] == "Accuracy: 0.966667"
