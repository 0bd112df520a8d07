"""Decorators of tests that choose how they run; here all tests build graphs."""

from __future__ import annotations

import collections
import functools
import gc
import inspect
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from headwater.base import logging
from headwater.graph import Graph, Tensor, get_default_graph
from headwater.testing.machine import gpu_device_name, is_gpu_available


def _with_or_without_call(decorate: Callable[[Any], Any], target: Any) -> Any:
    """Serves `@decorator`, `@decorator()`, and `@decorator("a reason")`."""
    return decorate(target) if callable(target) else decorate


def _unchanged(target: Any) -> Any:
    return target


def _skipping(reason: str, condition: Callable[[], bool], target: Any) -> Any:
    """Makes a decorator that skips a test, or the tests of a class, where `condition()` holds."""

    def decorate(test: Any) -> Any:
        if isinstance(test, type):
            set_up = test.setUp  # type: ignore[attr-defined]

            @functools.wraps(set_up)
            def checked_set_up(self: Any) -> None:
                if condition():
                    self.skipTest(reason)
                set_up(self)

            test.setUp = checked_set_up  # type: ignore[attr-defined]
            return test

        @functools.wraps(test)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
            if condition():
                self.skipTest(reason)
            return test(self, *args, **kwargs)

        return decorated

    return _with_or_without_call(decorate, target)


def run_in_graph_and_eager_modes(
    func: Any = None,
    graph: Any = None,
    config: Any = None,
    use_gpu: bool = True,
    force_gpu: bool = False,
    reset_test: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Runs a test in `self.test_session()`; there is no eager mode to run it in again.

    Args:
      func: the test, or None to make a decorator.
      graph: as for `TestCase.test_session`.
      config: as for `TestCase.test_session`.
      use_gpu: as for `TestCase.test_session`.
      force_gpu: as for `TestCase.test_session`.
      reset_test: accepted; unused, as tests run once.
      assert_no_eager_garbage: accepted; unused without eager mode.

    Returns:
      The decorated test, or a decorator.
    """

    def decorate(test: Any) -> Any:
        if inspect.isclass(test):
            raise ValueError(
                "`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use "
                "`run_all_in_graph_and_eager_modes`?"
            )

        @functools.wraps(test)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> None:
            with self.test_session(
                graph=graph, config=config, use_gpu=use_gpu, force_gpu=force_gpu
            ):
                test(self, *args, **kwargs)

        return decorated

    return _with_or_without_call(decorate, func)


def for_all_test_methods(decorator: Any, *args: Any, **kwargs: Any) -> Callable[[type], type]:
    """Returns a class decorator that decorates all methods whose names begin with `test`.

    Args:
      decorator: a function of further arguments and a method.
      *args: further arguments.
      **kwargs: further keyword arguments.

    Returns:
      The class decorator.
    """

    def decorate(cls: type) -> type:
        for name in dir(cls):
            if name.startswith("test") and name != "test_session":
                method = getattr(cls, name)
                if callable(method):
                    setattr(cls, name, decorator(*args, **kwargs)(method))
        return cls

    return decorate


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Decorates the tests of a class with `run_in_graph_and_eager_modes`.

    Those whose names begin with `testSkipEager` or `test_skip_eager` run as they are, without a
    session around them.
    """
    for name in dir(cls):
        plain = name.startswith(("testSkipEager", "test_skip_eager")) or name == "test_session"
        if name.startswith("test") and not plain and callable(getattr(cls, name)):
            setattr(cls, name, run_in_graph_and_eager_modes(getattr(cls, name)))
    return cls


def deprecated_graph_mode_only(func: Any = None) -> Any:
    """Marks a test, or a class of tests, for graph mode, in which all run."""
    return _with_or_without_call(_unchanged, func)


run_deprecated_v1 = deprecated_graph_mode_only


def run_v1_only(reason: Any, func: Any = None) -> Any:
    """Marks a test for TensorFlow 1, in which all run."""
    return _with_or_without_call(_unchanged, func)


def run_v2_only(func: Any = None) -> Any:
    """Skips a test, which is for TensorFlow 2."""
    return _skipping("Test is only compatible with v2", lambda: True, func)


def run_gpu_only(func: Any = None) -> Any:
    """Skips a test where there is no GPU."""
    return _skipping("Test requires GPU", lambda: not is_gpu_available(), func)


def run_cuda_only(func: Any = None) -> Any:
    """Skips a test where there is no GPU of NVIDIA."""
    return _skipping("Test requires CUDA GPU", lambda: not is_gpu_available(cuda_only=True), func)


def skip_if(condition: Any) -> Callable[[Any], Any]:
    """Returns a decorator that skips a test if a condition holds.

    Args:
      condition: a bool, or a function that returns one.

    Returns:
      The decorator.
    """

    def decorate(test: Any) -> Any:
        @functools.wraps(test)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> None:
            if not (condition() if callable(condition) else condition):
                test(self, *args, **kwargs)

        return decorated

    return decorate


def _about_implementation(target: Any) -> Any:
    """Returns a test or class unchanged: there is only one implementation here."""
    return target


disable_c_api = enable_c_api = with_c_api = _about_implementation
disable_c_shapes = enable_c_shapes = with_c_shapes = _about_implementation
enable_cond_v2 = enable_control_flow_v2 = with_control_flow_v2 = _about_implementation
enable_output_all_intermediates = also_run_as_tf_function = _about_implementation


def disable_control_flow_v2(unused_msg: Any) -> Callable[[Any], Any]:
    """Returns a decorator that leaves a test as it is."""
    return _unchanged


def disable_xla(description: Any) -> Callable[[Any], Any]:
    """Returns a decorator that leaves a test as it is: what XLA cannot do is done without it."""
    return _unchanged


no_xla_auto_jit = xla_allow_fallback = enable_tf_xla_constant_folding = disable_xla


def is_xla_enabled() -> bool:
    """Returns False: tests need not expect the limits of XLA."""
    return False


def build_as_function_and_v1_graph(func: Any = None) -> Any:
    """Runs a test in a graph of its own."""

    def decorate(test: Any) -> Any:
        @functools.wraps(test)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> None:
            with Graph().as_default():
                test(self, *args, **kwargs)

        return decorated

    return _with_or_without_call(decorate, func)


def py_func_if_in_function(f: Any) -> Any:
    """Returns an assertion as it is: it never runs inside a function that is being traced."""
    return f


def use_deterministic_cudnn(func: Any) -> Any:
    """Makes GPU libraries deterministic for a test."""

    @functools.wraps(func)
    def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = os.environ.get("TF_CUDNN_DETERMINISTIC")
        os.environ["TF_CUDNN_DETERMINISTIC"] = "true"
        try:
            return func(self, *args, **kwargs)
        finally:
            if before is None:
                del os.environ["TF_CUDNN_DETERMINISTIC"]
            else:
                os.environ["TF_CUDNN_DETERMINISTIC"] = before

    return decorated


def assert_no_new_tensors(f: Any) -> Any:
    """Fails a test that leaks tensors."""

    @functools.wraps(f)
    def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
        def tensors() -> list[Tensor]:
            return [found for found in gc.get_objects() if type(found) is Tensor]

        before = {id(tensor) for tensor in tensors()}
        outside = get_default_graph()
        with Graph().as_default():
            result = f(self, *args, **kwargs)
        gc.collect()
        new = [
            tensor
            for tensor in tensors()
            if id(tensor) not in before and tensor.graph is not outside
        ]
        self.assertEqual([], new, f"{len(new)} Tensors not deallocated after test: {new}")
        return result

    return decorated


def assert_no_garbage_created(f: Any) -> Any:
    """Fails a test that creates reference cycles."""

    @functools.wraps(f)
    def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
        gc.collect()
        was_enabled, debug = gc.isenabled(), gc.get_debug()
        before = len(gc.garbage)
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            result = f(self, *args, **kwargs)
            gc.collect()
            new = gc.garbage[before:]
            for found in new[:100]:
                logging.error("Object %s in a circle of references", type(found))
            self.assertEqual(before, len(gc.garbage))
        finally:
            del gc.garbage[before:]
            gc.set_debug(debug)
            if was_enabled:
                gc.enable()
        return result

    return decorated


def assert_no_new_pyobjects_executing_eagerly(f: Any) -> Any:
    """Runs a test once: object counts of eager mode do not apply."""
    return f


def generate_combinations_with_testcase_name(**kwargs: Any) -> list[Any]:
    """Makes the keyword arguments of parameterized tests.

    Args:
      **kwargs: a list of values, or one value, by name of the argument.

    Returns:
      An ordered dict for each combination, with a `testcase_name`.
    """
    names = sorted(kwargs)
    choices = [kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]] for name in names]
    combinations = []
    for values in itertools.product(*choices):
        found = collections.OrderedDict(zip(names, values))
        text = "".join(
            f"_{''.join(c for c in str(part) if c.isalnum())}"
            for pair in found.items()
            for part in pair
        )
        combinations.append(
            collections.OrderedDict([*found.items(), ("testcase_name", f"_test{text}")])
        )
    return combinations


@contextmanager
def device(use_gpu: bool) -> Iterator[None]:
    """A with block that places ops on the first GPU if there is one, else on the CPU.

    Args:
      use_gpu: whether a GPU is wanted.

    Yields:
      None.
    """
    name = (gpu_device_name() if use_gpu else "") or "/device:CPU:0"
    with get_default_graph().device(name):
        yield


def use_gpu() -> AbstractContextManager[None]:
    """A with block that places ops on the first GPU if there is one."""
    return device(use_gpu=True)


@contextmanager
def force_gpu() -> Iterator[None]:
    """A with block that places ops on the first GPU, whether there is one or not."""
    with get_default_graph().device(gpu_device_name() or "/device:GPU:0"):
        yield


def force_cpu() -> AbstractContextManager[None]:
    """A with block that places ops on the CPU."""
    return device(use_gpu=False)
