"""DumpingDebugWrapperSession: every run is dumped."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

from headwater.debug.lib import debug_data
from headwater.debug.wrappers import framework
from headwater.io.files import make_folders, open_file
from headwater.protos.lazy import event_pb2


class DumpingDebugWrapperSession(framework.NonInteractiveDebugWrapperSession):
    """A session whose runs are dumped, each to a folder of its own.

    The folders are ``run_<microseconds>_<number>``; `DebugDumpDir` and ``headwater debug`` read
    them.

    Args:
        sess: the other session.
        session_root: the folder above them.
        watch_fn: a function of the fetches and feeds of a run that returns `WatchOptions`; None to
            watch everything.
        thread_name_filter: matches the names of the threads whose runs are dumped; None for all.
        pass_through_operrors: whether the OpError of a run is raised.
        log_usage: has no effect; nothing is reported to anyone.

    Raises:
        TypeError: if `watch_fn` is not a function.
        ValueError: if `session_root` is a file, or a folder with something in it.
    """

    def __init__(
        self,
        sess: Any,
        session_root: str,
        watch_fn: Callable[..., Any] | None = None,
        thread_name_filter: str | None = None,
        pass_through_operrors: bool | None = None,
        log_usage: bool = True,
    ) -> None:
        del log_usage
        super().__init__(
            sess,
            watch_fn=watch_fn,
            thread_name_filter=thread_name_filter,
            pass_through_operrors=pass_through_operrors,
        )
        session_root = os.path.expanduser(session_root)
        if os.path.isfile(session_root):
            raise ValueError(f"session_root path points to a file: {session_root}")
        if os.path.isdir(session_root) and os.listdir(session_root):
            raise ValueError(f"session_root path points to a non-empty directory: {session_root}")
        make_folders(session_root)
        self._session_root = session_root
        self._run_counter = 0
        self._run_counter_lock = threading.Lock()

    def prepare_run_debug_urls(self, fetches: Any, feed_dict: Any) -> str:
        """Makes the folder of a run, which says what is fetched and fed."""
        with self._run_counter_lock:
            name = f"run_{int(time.time() * 1e6)}_{self._run_counter}"
            self._run_counter += 1
        folder = os.path.join(self._session_root, name)
        make_folders(folder)
        for tag, message in (
            (debug_data.FETCHES_INFO_FILE_TAG, repr(fetches)),
            (debug_data.FEED_KEYS_INFO_FILE_TAG, repr(feed_dict.keys() if feed_dict else None)),
        ):
            event = event_pb2.Event()
            event.log_message.message = message
            path = os.path.join(folder, debug_data.METADATA_FILE_PREFIX + tag)
            with open_file(path, "wb") as file:
                file.write(event.SerializeToString())
        return f"file://{folder}"
