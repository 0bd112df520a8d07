"""The registry of op types: what `register_op` takes, and what it makes of it."""

import dataclasses
import inspect
import re

import pytest

from headwater.base import declarations
from headwater.graph import NOT_DIFFERENTIABLE, VJP, OpRecord, RunsOn, register_op, registry, shapes
from headwater.graph.registry import gradient_of


@pytest.fixture(autouse=True)
def scratch_registry(monkeypatch):
    monkeypatch.setattr(declarations, "_declared", {})
    monkeypatch.setattr(registry, "_records", {})
    monkeypatch.setattr(registry, "_gradients", {})


def documented_arguments(function):
    section = re.search(r"    Args:\n(.*?)\n\n", function.__doc__, re.DOTALL)[1]
    return re.findall(r"^        (\w+):", section, re.MULTILINE)


def test_docstring_describes_each_parameter_in_order():
    assert documented_arguments(register_op) == list(inspect.signature(register_op).parameters)


def test_parameters_are_the_fields_of_the_record_with_their_defaults():
    parameters = dict(inspect.signature(register_op).parameters)
    for name in ("name", "inputs", "outputs", "attrs", "gradient", "record_type"):
        del parameters[name]
    fields = {f.name: f for f in dataclasses.fields(OpRecord) if f.name != "declaration"}
    assert parameters.keys() == fields.keys()
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters.values())
    for name, parameter in parameters.items():
        field = fields[name]
        assert field.type == parameter.annotation
        default = inspect.Parameter.empty if name == "shape" else field.default
        assert parameter.default is default, name


def test_every_argument_reaches_the_record():
    given = {}
    for field in dataclasses.fields(OpRecord):
        if field.name != "declaration":
            given[field.name] = True if field.type == "bool" else object()
    given["runs_on"] = RunsOn.HOST
    record = register_op("A", **given)
    assert {name: getattr(record, name) for name in given} == given


def test_unknown_argument_is_refused():
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'host'"):
        register_op("A", shape=shapes.none, host=True)


def test_taken_name_is_refused():
    register_op("A", shape=shapes.none)
    with pytest.raises(ValueError, match=r"op type 'A' is registered twice"):
        register_op("A", shape=shapes.none)


@pytest.mark.parametrize("option", ["opaque", "exchanges"])
@pytest.mark.parametrize("runs_on", [place for place in RunsOn if place is not RunsOn.HOST])
def test_options_of_host_ops_are_refused_elsewhere(option, runs_on):
    text = "A: `opaque` and `exchanges` are for ops that run on the host"
    with pytest.raises(ValueError, match=re.escape(text)):
        register_op("A", shape=shapes.none, runs_on=runs_on, **{option: True})
    assert not registry.is_registered("A")


def test_ops_on_the_host_and_those_of_dynamic_shape_are_not_compiled():
    compilable = {
        place: register_op(place.name, shape=shapes.none, runs_on=place).compilable
        for place in RunsOn
    }
    assert compilable == {
        RunsOn.ANYWHERE: True,
        RunsOn.HOST: False,
        RunsOn.XLA: True,
        RunsOn.HOST_UNLESS_KNOWN: True,
    }
    assert not register_op("Dynamic", shape=shapes.none, dynamic_shape=True).compilable


def test_gradient_is_kept_beside_the_record():
    def gradient(op, grad):
        return grad

    for name, given in (("A", gradient), ("B", VJP), ("C", NOT_DIFFERENTIABLE), ("D", None)):
        register_op(name, shape=shapes.none, gradient=given)
        assert gradient_of(name) is given
    assert [repr(rule) for rule in (VJP, NOT_DIFFERENTIABLE)] == ["VJP", "NOT_DIFFERENTIABLE"]
