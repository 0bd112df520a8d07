"""Test cases with sessions: a cached one per test, and others for a single block."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
from absl.testing import absltest

from headwater.base import errors, logging
from headwater.graph import Graph, get_default_graph, reset_default_graph, stacks
from headwater.protos.lazy import config_pb2
from headwater.session.session import Session, get_default_session
from headwater.testing.machine import gpu_device_name

# Seed of Python, NumPy and the default graph at the start of each test.
TEST_SEED = 87654321


class ErrorLoggingSession(Session):
    """A session that logs the errors of its runs, except the end of input."""

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """`Session.run`."""
        try:
            return super().run(*args, **kwargs)
        except errors.OutOfRangeError:
            raise
        except Exception as error:
            logging.error("%s", error)
            raise


def _with_soft_placement(config: Any, force_gpu: bool) -> Any:
    """The configuration of a test's session: without `force_gpu`, ops run where they can."""
    if config is None:
        return config_pb2.ConfigProto(allow_soft_placement=not force_gpu)
    if force_gpu and config.allow_soft_placement:
        changed = config_pb2.ConfigProto()
        changed.CopyFrom(config)
        changed.allow_soft_placement = False
        return changed
    return config


class SessionTestCase(absltest.TestCase):
    """A test case whose tests begin with an empty default graph and fixed seeds.

    Args:
      methodName: the method to run.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._cached_session: Any = None
        self._cached_arguments: tuple[Any, Any, bool] = (None, None, False)

    def setUp(self) -> None:
        """Empties the default graph and sets all seeds."""
        super().setUp()
        self._ClearCachedSession()
        random.seed(TEST_SEED)
        np.random.seed(TEST_SEED)
        # A test that failed may have left a graph behind.
        stacks.graphs.items.clear()
        reset_default_graph()
        get_default_graph().seed = TEST_SEED

    def tearDown(self) -> None:
        """Closes the cached session."""
        self._ClearCachedSession()
        super().tearDown()

    def _ClearCachedSession(self) -> None:
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None

    def _create_session(self, graph: Graph | None, config: Any, force_gpu: bool) -> Any:
        return ErrorLoggingSession(graph=graph, config=_with_soft_placement(config, force_gpu))

    def _get_cached_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        force_gpu: bool = False,
        crash_if_inconsistent_args: bool = True,
    ) -> Any:
        arguments = (graph, config, force_gpu)
        if self._cached_session is None:
            self._cached_session = self._create_session(*arguments)
            self._cached_arguments = arguments
        elif crash_if_inconsistent_args:
            old_graph, old_config, old_force_gpu = self._cached_arguments
            for what, same in (
                ("graph", old_graph is graph),
                ("config", old_config == config),
                ("force_gpu value", old_force_gpu is force_gpu),
            ):
                if not same:
                    raise ValueError(
                        f"The {what} used to get the cached session is different than the one "
                        "that was used to create the session. Maybe create a new session with "
                        "self.session()"
                    )
        return self._cached_session

    @contextmanager
    def _constrain_devices_and_set_default(
        self, sess: Any, use_gpu: bool, force_gpu: bool
    ) -> Iterator[Any]:
        device: AbstractContextManager[Any] = nullcontext()
        if force_gpu:
            device = sess.graph.device(gpu_device_name() or "/device:GPU:0")
        elif not use_gpu:
            device = sess.graph.device("/device:CPU:0")
        with sess.graph.as_default(), sess.as_default(), device:
            yield sess

    @contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """A with block with a session of its own, which is closed at the end.

        Args:
          graph: its graph; the default graph if None.
          config: a ConfigProto or None.
          use_gpu: whether ops may run on a GPU; otherwise they are placed on the CPU.
          force_gpu: whether ops must run on a GPU.

        Yields:
          The session, which is the default one in the block.
        """
        with (
            self._create_session(graph, config, force_gpu) as sess,
            self._constrain_devices_and_set_default(sess, use_gpu, force_gpu),
        ):
            yield sess

    @contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """A with block with the session that all such blocks of a test share.

        Args:
          graph: its graph; the default graph if None.
          config: a ConfigProto or None.
          use_gpu: whether ops may run on a GPU; otherwise they are placed on the CPU.
          force_gpu: whether ops must run on a GPU.

        Yields:
          The session, which is the default one in the block and stays open after it.

        Raises:
          ValueError: if the arguments are not those that the session was made with.
        """
        sess = self._get_cached_session(graph, config, force_gpu)
        with self._constrain_devices_and_set_default(sess, use_gpu, force_gpu) as cached:
            yield cached

    @contextmanager
    def test_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """The shared session if `graph` is None, else one that ends with the block.

        Args:
          graph: the graph of the session.
          config: a ConfigProto or None; it counts when the session is made.
          use_gpu: whether ops may run on a GPU; otherwise they are placed on the CPU.
          force_gpu: whether ops must run on a GPU.

        Yields:
          The session, which is the default one in the block.
        """
        if graph is None:
            sess = self._get_cached_session(
                graph, config, force_gpu, crash_if_inconsistent_args=False
            )
            with self._constrain_devices_and_set_default(sess, use_gpu, force_gpu) as cached:
                yield cached
        else:
            with self.session(graph, config, use_gpu, force_gpu) as sess:
                yield sess

    def evaluate(self, tensors: Any) -> Any:
        """Computes tensors in the default session, or in the cached one if there is none.

        Args:
          tensors: a tensor or a nested structure of tensors.

        Returns:
          The values in the same structure.
        """
        sess = get_default_session()
        if sess is not None:
            return sess.run(tensors)
        with self.test_session() as sess:
            return sess.run(tensors)
