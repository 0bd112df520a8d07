from __future__ import annotations

import re

import pytest

from headwater.cli import command_line
from headwater.compat import install as hook


@pytest.fixture
def _hook_removed():
    yield
    hook.uninstall()


# `.ci/run` runs the demo anyway.
@pytest.mark.slow
@pytest.mark.usefixtures("_hook_removed")
def test_demo_trains_both_models(capsys):
    # The name of the demo in the documents of TensorFlow.
    demo = ["run", "-m", "tensorflow.models.image.mnist.convolutional"]
    assert command_line.main([*demo, "--softmax-steps", "300", "--convnet-steps", "3"]) == 0
    out = capsys.readouterr().out
    assert "MNIST sample: 9,000 training images, 2,000 test images" in out
    accuracies = re.findall(r"^(\w+ \w+) +test accuracy ([\d.]+)% after (\d+) steps", out, re.M)
    assert [(name, steps) for name, _, steps in accuracies] == [
        ("softmax regression", "300"),
        ("convolutional net", "3"),
    ]
    assert float(accuracies[0][1]) > 85
