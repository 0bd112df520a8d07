"""SessionManager: opens sessions whose model is initialized or restored."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.base.typing import FeedDict
from headwater.graph import Graph, get_default_graph
from headwater.session.session import Session
from headwater.train.checkpoints.checkpoint_state import get_checkpoint_state
from headwater.train.checkpoints.saver import Saver


@export("train.SessionManager")
class SessionManager:
    """Opens sessions: a chief initializes or restores the model, other workers wait for it.

    Args:
        local_init_op: runs in every new session when the model is ready for it; or None.
        ready_op: a string vector that is empty when the model is ready; None: it always is.
        ready_for_local_init_op: a string vector that is empty when `local_init_op` can run; None:
            it always can.
        graph: the graph; the default graph if None.
        recovery_wait_secs: how many seconds to wait between two checks.
        local_init_run_options: RunOptions for `local_init_op`, or None.

    Raises:
        ValueError: if there is a `ready_for_local_init_op`, but no `local_init_op`.
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Graph | None = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
    ) -> None:
        if graph is None:
            graph = get_default_graph()
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , "
                f"ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._target: str | None = None

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Saver | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: FeedDict | None = None,
        init_fn: Callable[[Session], None] | None = None,
    ) -> Session:
        """Opens a session and restores the model, or else initializes it.

        Args:
            master: where the graph runs; "" is this process.
            init_op: initializes the model if there is no checkpoint; or None.
            saver: the Saver that restores it; or None.
            checkpoint_dir: the folder of checkpoints; or None.
            checkpoint_filename_with_path: the path of a checkpoint; or None.
            wait_for_checkpoint: whether to wait until there is a checkpoint in the folder.
            max_wait_secs: how many seconds to wait at most.
            config: a ConfigProto or None.
            init_feed_dict: what is fed to `init_op`; or None.
            init_fn: a function of the session that is called after `init_op`; or None.

        Returns:
            A Session.

        Raises:
            RuntimeError: if there is nothing that initializes the model, or it is not ready then.
            ValueError: if a folder and a path of a checkpoint are given.
        """
        sess, is_loaded = self._restore_checkpoint(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        with _closed_on_error(sess):
            if not is_loaded:
                if init_op is None and not init_fn and self._local_init_op is None:
                    raise RuntimeError(
                        "Model is not initialized and no init_op or init_fn or local_init_op was "
                        "given"
                    )
                if init_op is not None:
                    sess.run(init_op, feed_dict=init_feed_dict)
                if init_fn:
                    init_fn(sess)
            self._check_prepared(sess, init_op, init_fn)
        return sess

    def _check_prepared(self, sess: Session, init_op: Any, init_fn: Any) -> None:
        local_init_success, message = self._try_run_local_init_op(sess)
        if not local_init_success:
            raise RuntimeError(
                "Init operations did not make model ready for local_init.  Init op: "
                f"{name_of(init_op)}, init fn: {init_fn}, error: {message}"
            )
        is_ready, message = self._model_ready(sess)
        if not is_ready:
            raise RuntimeError(
                f"Init operations did not make model ready.  Init op: {name_of(init_op)}, init "
                f"fn: {init_fn}, local_init_op: {self._local_init_op}, error: {message}"
            )

    def recover_session(
        self,
        master: str,
        saver: Saver | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        """Opens a session and restores the model, if there is a checkpoint.

        Args:
            master: where the graph runs; "" is this process.
            saver: the Saver that restores it; or None.
            checkpoint_dir: the folder of checkpoints; or None.
            checkpoint_filename_with_path: the path of a checkpoint; or None.
            wait_for_checkpoint: whether to wait until there is a checkpoint in the folder.
            max_wait_secs: how many seconds to wait at most.
            config: a ConfigProto or None.

        Returns:
            A Session, and whether the model is restored and ready.

        Raises:
            ValueError: if a folder and a path of a checkpoint are given.
        """
        sess, is_loaded = self._restore_checkpoint(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        if not is_loaded:
            return sess, False
        source = checkpoint_dir or checkpoint_filename_with_path
        with _closed_on_error(sess):
            local_init_success, message = self._try_run_local_init_op(sess)
            if not local_init_success:
                logging.info(
                    "Restoring model from %s did not make model ready for local init: %s",
                    source,
                    message,
                )
                return sess, False
            is_ready, message = self._model_ready(sess)
            if not is_ready:
                logging.info(
                    "Restoring model from %s did not make model ready: %s", source, message
                )
                return sess, False
        logging.info("Restored model from %s", source)
        return sess, True

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float = float("Inf")
    ) -> Session:
        """Opens a session as soon as another worker has initialized the model.

        Args:
            master: where the graph runs; "" is this process.
            config: a ConfigProto or None.
            max_wait_secs: how many seconds to wait at most.

        Returns:
            A Session.

        Raises:
            DeadlineExceededError: if the model is not ready in time.
        """
        self._target = master
        if max_wait_secs is None:
            max_wait_secs = float("Inf")
        timer = CountDownTimer(max_wait_secs)
        while True:
            sess = Session(self._target, graph=self._graph, config=config)
            not_ready = None
            with _closed_on_error(sess):
                local_init_success, not_ready_local = self._try_run_local_init_op(sess)
                if local_init_success:
                    is_ready, not_ready = self._model_ready(sess)
                    if is_ready:
                        return sess
            self._safe_close(sess)
            # There must be time for another check after the pause.
            if timer.secs_remaining() - self._recovery_wait_secs < 0:
                raise errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {int(max_wait_secs)} secs."
                )
            logging.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                not_ready_local,
                not_ready,
            )
            time.sleep(self._recovery_wait_secs)

    def _restore_checkpoint(
        self,
        master: str,
        saver: Saver | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        """Opens a session; returns it, and whether a checkpoint has been restored in it."""
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        self._target = master
        sess = Session(self._target, graph=self._graph, config=config)
        with _closed_on_error(sess):
            if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
                return sess, False
            if not checkpoint_dir:
                saver.restore(sess, checkpoint_filename_with_path)
                return sess, True
            wait_time = 0.0
            state = get_checkpoint_state(checkpoint_dir)
            while not state or not state.model_checkpoint_path:
                if not wait_for_checkpoint or wait_time >= max_wait_secs:
                    return sess, False
                logging.info("Waiting for checkpoint to be available.")
                time.sleep(self._recovery_wait_secs)
                wait_time += self._recovery_wait_secs
                state = get_checkpoint_state(checkpoint_dir)
            saver.restore(sess, state.model_checkpoint_path)
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return sess, True

    def _safe_close(self, sess: Session) -> None:
        """Closes a session whose errors do not matter any more."""
        try:
            sess.close()
        except Exception as error:
            logging.debug("Ignored exception: %s", error)

    def _model_ready(self, sess: Session) -> tuple[bool, str | None]:
        """Whether the model is ready, and if not, why."""
        return ready(self._ready_op, sess, "Model not ready")

    def _model_ready_for_local_init(self, sess: Session) -> tuple[bool, str | None]:
        """Whether `local_init_op` can run, and if not, why."""
        return ready(self._ready_for_local_init_op, sess, "Model not ready for local init")

    def _try_run_local_init_op(self, sess: Session) -> tuple[bool, str | None]:
        """Runs `local_init_op`; returns whether that was possible, and if not, why."""
        if self._local_init_op is None:
            return True, None
        is_ready, message = self._model_ready_for_local_init(sess)
        if not is_ready:
            return False, message
        logging.info("Running local_init_op.")
        sess.run(self._local_init_op, options=self._local_init_run_options)
        logging.info("Done running local_init_op.")
        return True, None


class CountDownTimer:
    """Counts down a number of seconds.

    Args:
        duration_secs: how many.
    """

    def __init__(self, duration_secs: float) -> None:
        self._start_time_secs = time.time()
        self._duration_secs = duration_secs

    def secs_remaining(self) -> float:
        """How many seconds are left; 0 at the end."""
        return max(0, self._duration_secs - (time.time() - self._start_time_secs))


@contextmanager
def _closed_on_error(sess: Session) -> Iterator[None]:
    """A with block whose exceptions close the session, which nobody else can close."""
    try:
        yield
    except BaseException:
        sess.close()
        raise


def ready(op: Any, sess: Session, message: str) -> tuple[bool, str | None]:
    """Whether a tensor of names of uninitialized variables is empty, and if not, why."""
    if op is None:
        return True, None
    try:
        names = sess.run(op)
    except errors.FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            logging.warning("%s : error [%s]", message, error)
            raise
        return False, str(error)
    # An op without a value, or an int32 tensor of assert_variables_initialized, just has to run.
    if names is None or names.dtype == np.int32 or names.size == 0:
        return True, None
    text = ", ".join(name.decode() for name in names)
    return False, f"Variables not initialized: {text}"


def name_of(obj: Any) -> str | None:
    """The name of an op, or the text of what has no name."""
    if obj is None:
        return None
    return str(getattr(obj, "name", obj))
