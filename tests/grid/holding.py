"""Runs the grid in Headwater and reports which cases hold."""

from __future__ import annotations

import functools
import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import headwater as tf
from headwater.graph import build
from headwater.graph.operation import Operation

HERE = Path(__file__).parent


def _modules() -> list[Any]:
    """The files that run under the real TensorFlow too; they import each other by plain names."""
    sys.path.insert(0, str(HERE))
    try:
        importlib.import_module("families")
        names = ("cases", "comparing", "running", "storing", "exceptions")
        return [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(str(HERE))


grid, comparing, running, storing, exceptions = _modules()
RELEASES = ("1.15.5", "1.0.0")


@dataclass
class Result:
    """The result of one case compared with one release; `problem` is empty if it holds."""

    family: str
    op: str
    number: int
    case: Any
    golden: dict[str, Any]
    problem: str

    @property
    def name(self) -> str:
        return f"{self.op}-{self.case.kind}-{'_'.join(self.case.dtypes())}-{self.number}"


def make(op_type: str, inputs: list[Any], attrs: dict[str, Any]) -> Operation:
    """Makes a node of Headwater."""
    attrs = {k: tf.make_ndarray(v) if hasattr(v, "tensor_shape") else v for k, v in attrs.items()}
    getattr(build, op_type)(*inputs, **attrs)
    return tf.get_default_graph().get_operations()[-1]


@functools.lru_cache(maxsize=8)
def golden(family: str, release: str) -> dict[str, list[dict[str, Any]]]:
    path = HERE / "golden" / f"{family}-{release}.npz"
    return storing.load(path) if path.exists() else {}


def is_counted(outcome: dict[str, Any]) -> bool:
    """Whether TensorFlow has the op, and the case did not crash it."""
    return "absent" not in outcome and "crash" not in outcome


def outcomes(op: str, cases: list[Any], wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What Headwater does with the cases of one op; those that give values run together."""
    results: list[dict[str, Any]] = [{} for _ in cases]
    builts: dict[int, Any] = {}
    graph = tf.Graph()
    builder = running.Builder(tf, make)
    with graph.as_default(), np.errstate(all="ignore"):
        for i, (case, want) in enumerate(zip(cases, wanted)):
            if is_counted(want):
                builts[i] = _built(builder, case, want, results[i])
        with tf.Session(graph=graph) as session:
            together = [i for i in builts if _joins(builts[i], cases[i], wanted[i])]
            if not _run_together(session, builts, together, results):
                together = []
            for i, built in builts.items():
                if i not in together and built is not None:
                    _run(session, built, results[i])
    return results


def _built(builder: Any, case: Any, want: dict[str, Any], result: dict[str, Any]) -> Any:
    """Makes the three forms, notes static shapes and errors, and returns the one to run."""
    forms = {}
    errors = {}
    shapes: list[Any] = []
    for form in running.forms_of(case):
        try:
            forms[form] = builder.build(case, form)
            shapes.append(forms[form].shapes)
        except Exception as error:
            errors[form] = running.error_of(error)
            shapes.append(None)
    result["shapes"] = shapes
    if case.gradient and errors:
        errors["constant"] = errors[case.gradient]
    if "constant" in errors:
        result["error"] = errors["constant"]
    for form in ("constant", "rank", "dimensions"):
        if form in forms:
            return forms[form]
    return None


def _joins(built: Any, case: Any, want: dict[str, Any]) -> bool:
    return built is not None and "error" not in want and not case.setup and not built.feeds


def _run_together(session: Any, builts: Any, chosen: list[int], results: Any) -> bool:
    try:
        session.run([op for i in chosen for op in builts[i].initializers])
        values = session.run([(builts[i].fetches, builts[i].op) for i in chosen])
    except Exception:
        return False
    for i, (found, _) in zip(chosen, values):
        results[i]["values"] = [np.asarray(v) for v in found]
    return True


def _run(session: Any, built: Any, result: dict[str, Any]) -> None:
    try:
        values = built.run(session)
    except Exception as error:
        result["later" if "error" in result else "error"] = running.error_of(error)
    else:
        if "error" not in result:
            result["values"] = values


def problem(case: Any, outcome: dict[str, Any], want: dict[str, Any], shapes: bool = True) -> str:
    """What differs between an outcome and the recorded one, or an empty text."""
    rtol = exceptions.tolerance(case)
    # TensorFlow no longer infers shapes of deprecated ops.
    old = any("deprecated_at_graph_version" in grid.opdefs()[op] for op in grid.ops_of(case))
    shapes = shapes and not old
    if old and "error" in want and outcome.get("later", [""])[0] == want["error"][0]:
        return ""
    if "error" in want:
        if "error" not in outcome:
            return f"gives values instead of {want['error']}"
        if outcome["error"][0] != want["error"][0]:
            return f"raises {outcome['error']} instead of {want['error']}"
        if "later" in want and want["later"][0] != outcome.get("later", [""])[0]:
            return f"raises {outcome.get('later')} instead of {want['later']} when it runs"
    elif "error" in outcome:
        return f"raises {outcome['error']}"
    else:
        text = comparing.difference(outcome["values"], want["values"], rtol, case.unordered)
        if text:
            return text
    if shapes and outcome["shapes"] != want["shapes"]:
        return f"static shapes {outcome['shapes']} instead of {want['shapes']}"
    return ""


def results(family: str, op: str) -> Iterator[tuple[str, Result]]:
    """(release, result) of all cases of an op that the releases have."""
    cases = grid.cases_of(family, op)
    first = golden(family, "1.15.5").get(op, [])
    second = golden(family, "1.0.0").get(op, [])
    if len(first) != len(cases) or any(
        "sum" in want and want["sum"] != storing.checksum(case) for case, want in zip(cases, first)
    ):
        raise ValueError(f"{family}: the cases have changed since make_golden.py was run")
    found = outcomes(op, cases, first)
    problems = []
    for i, (case, outcome, want) in enumerate(zip(cases, found, first)):
        text = problem(case, outcome, want) if is_counted(want) else ""
        problems.append(text)
        if is_counted(want):
            yield "1.15.5", Result(family, op, i, case, want, text)
    for i, (case, want) in enumerate(zip(cases, second)):
        if "same" in want:
            text = problems[i] if is_counted(first[i]) else ""
            # Release 1.0 infers less of the static shapes.
            text = "" if text.startswith("static shapes") else text
            yield "1.0.0", Result(family, op, i, case, want, text)
        elif is_counted(want) and is_counted(first[i]):
            yield "1.0.0", Result(family, op, i, case, want, "as in release 1.15.5")


def counts(family: str) -> Counter[tuple[str, bool]]:
    """How many cases of a family hold, by release."""
    total: Counter[tuple[str, bool]] = Counter()
    for op in grid.families()[family]:
        for release, result in results(family, op):
            total[release, not result.problem] += 1
    return total
