"""The recorded grid of TensorFlow 1.15.5 and 1.0.0 against Headwater; see docs/ops.md."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.graph.registry import RunsOn
from headwater.graph import records

HERE = Path(__file__).parent


def _loaded(name):
    spec = importlib.util.spec_from_file_location(f"grid_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


holding = _loaded("holding")
reporting = _loaded("reporting")
reporting.holding = holding
reporting.op_files = _loaded("op_files")
# Each shape and type of these is compiled for seconds. The sweep has samples of the kernels.
SLOW = {("binary", "IgammaGradA"), ("gradients", "RandomGamma"), ("random", "RandomGammaGrad")}
OPS = [
    pytest.param(
        family, op, id=f"{family}-{op}", marks=[pytest.mark.slow] if (family, op) in SLOW else []
    )
    for family, ops in sorted(holding.grid.families().items())
    for op in sorted(ops)
]
# Without a kernel for the CPU, or the record has none of their cases.
WITHOUT_KERNELS = set(
    "Abort BatchFFT BatchFFT2D BatchFFT3D BatchIFFT BatchIFFT2D BatchIFFT3D "
    "MaxPoolGradGradWithArgmax ParseSequenceExample QuantizedReluX".split()
)
_results = {}


def results_of(family, op):
    """The results of an op, computed once for all tests."""
    if (family, op) not in _results:
        _results[family, op] = list(holding.results(family, op))
    return _results[family, op]


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "never")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("family", "op"), OPS)
def test_cases_hold(family, op):
    problems = [
        f"{release} {result.name}: {result.problem}"
        for release, result in results_of(family, op)
        if result.problem and holding.exceptions.reason(release, result) is None
    ]
    assert not problems, "\n".join(problems)


def test_every_op_type_has_cases():
    covered = {op for ops in holding.grid.families().values() for op in ops}
    registered = {record.name for record in records()}
    assert covered <= registered
    recorded = set()
    for family, ops in holding.grid.families().items():
        outcomes = holding.golden(family, "1.15.5")
        recorded.update(op for op in ops if any(map(holding.is_counted, outcomes.get(op, []))))
    assert covered - recorded == WITHOUT_KERNELS


def compiled_cases(family):
    """One ordinary case of each op of a family that can be part of a program."""
    chosen = []
    by_name = {record.name: record for record in records()}
    for op in sorted(holding.grid.families()[family]):
        record = by_name[op]
        if not record.compilable or record.state is not None or record.runs_on is RunsOn.XLA:
            continue
        wanted = holding.golden(family, "1.15.5").get(op, [])
        for case, want in zip(holding.grid.cases_of(family, op), wanted):
            plain = case.op == op and not (case.setup or case.before or case.after)
            plain = plain and case.kind == "ordinary" and "string" not in case.dtypes()
            if plain and want.get("values"):
                chosen.append((op, case, want))
                break
    return chosen


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", ["contrib", "random", "unary"])
def test_one_program_of_all_ops_gives_the_same(family, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "always")
    chosen = compiled_cases(family)
    builder = holding.running.Builder(tf, holding.make)
    builts = [builder.build(case, "fed") for _, case, _ in chosen]
    with tf.Session() as session:
        for built in builts:
            built.prepare(session)
        feeds = {tensor: value for built in builts for tensor, value in built.feeds.items()}
        values = session.run([built.fetches for built in builts], feeds)
    problems = []
    for (op, case, want), found in zip(chosen, values):
        rtol = holding.exceptions.tolerance(case)
        arrays = [np.asarray(v) for v in found]
        text = holding.comparing.difference(arrays, want["values"], rtol, case.unordered)
        if text and op not in holding.exceptions.COMPILED:
            problems.append(f"{op}: {text}")
    assert not problems, "\n".join(problems)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")
def test_the_report_is_up_to_date_and_nearly_all_cases_hold(op_types):
    families = holding.grid.families()
    found = {f: {op: results_of(f, op) for op in sorted(ops)} for f, ops in families.items()}
    path = HERE.parents[1] / "docs" / "ops.md"
    text = reporting.report(found, op_types)
    assert path.read_text(encoding="utf-8") == text, "run tests/grid/make_report.py"
    counts = Counter()
    for ops in found.values():
        for release, result in [entry for results in ops.values() for entry in results]:
            held = not result.problem or result.problem == "as in release 1.15.5"
            counts[release, held] += 1
    for release in holding.RELEASES:
        held, missed = counts[release, True], counts[release, False]
        assert held >= 0.995 * (held + missed)
