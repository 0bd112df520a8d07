"""TrainSpec and EvalSpec: the two parts of `train_and_evaluate`."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.estimator.exporter import Exporter
from headwater.train.hooks.session_run_hook import SessionRunHook


@export("estimator.TrainSpec")
class TrainSpec(namedtuple("TrainSpec", "input_fn max_steps hooks")):
    """The training of `train_and_evaluate`.

    Args:
        input_fn: a function that returns features and labels, or a Dataset of them.
        max_steps: the global step to stop at; None to train until the input ends.
        hooks: SessionRunHooks; or None.

    Raises:
        ValueError: if `max_steps` is not positive.
        TypeError: if something has the wrong type.
    """

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        max_steps: int | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
    ) -> TrainSpec:
        _check_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        return super().__new__(cls, input_fn, max_steps, _checked_hooks(hooks))


@export("estimator.EvalSpec")
class EvalSpec(
    namedtuple("EvalSpec", "input_fn steps name hooks exporters start_delay_secs throttle_secs")
):
    """The evaluations of `train_and_evaluate`.

    Args:
        input_fn: a function that returns features and labels, or a Dataset of them.
        steps: how many batches; None for all of the input.
        name: the name of the evaluation, if there are several; or None.
        hooks: SessionRunHooks; or None.
        exporters: an Exporter, several, or None.
        start_delay_secs: how many seconds an evaluator waits at its start.
        throttle_secs: how many seconds there are between two evaluations at least.

    Raises:
        ValueError: if a number is out of range, or names of exporters are not unique.
        TypeError: if something has the wrong type.
    """

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        steps: int | None = 100,
        name: str | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        exporters: Exporter | Iterable[Exporter] | None = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ) -> EvalSpec:
        _check_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        hooks = _checked_hooks(hooks)
        exporters = _checked_exporters(exporters)
        if start_delay_secs < 0:
            raise ValueError(f"Must specify start_delay_secs >= 0, given: {start_delay_secs}")
        if throttle_secs < 0:
            raise ValueError(f"Must specify throttle_secs >= 0, given: {throttle_secs}")
        return super().__new__(
            cls, input_fn, steps, name, hooks, exporters, start_delay_secs, throttle_secs
        )


def _check_input_fn(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


def _checked_hooks(hooks: Iterable[Any] | None) -> tuple[SessionRunHook, ...]:
    result = tuple(hooks or ())
    for hook in result:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be `SessionRunHook` instances, given: {hook}")
    return result


def _checked_exporters(exporters: Any) -> tuple[Exporter, ...]:
    """Exporters as a tuple; each has a folder, and so a name, of its own."""
    if exporters is None:
        return ()
    try:
        result = (exporters,) if isinstance(exporters, Exporter) else tuple(exporters)
        if not all(isinstance(exporter, Exporter) for exporter in result):
            raise TypeError
    except TypeError:
        raise TypeError(
            "`exporters` must be an Exporter, an iterable of Exporter, or `None`, found "
            f"{exporters}."
        ) from None
    names: Sequence[Any] = [exporter.name for exporter in result]
    for name in names:
        if not name:
            raise ValueError(
                "An Exporter cannot have a name that is `None` or empty. All exporter names: "
                f"{names}"
            )
        if not isinstance(name, str):
            raise ValueError(f"An Exporter must have a string name. Given: {type(name)}")
    if len(set(names)) != len(names):
        raise ValueError(
            "`exporters` must have unique names. Such a name cannot be `None`. All exporter names: "
            f"{names}"
        )
    return result
