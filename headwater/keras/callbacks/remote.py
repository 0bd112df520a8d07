"""`RemoteMonitor`: sends the logs of epochs to a server."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.base.lazy import LazyModule
from headwater.keras.callbacks.callback_list import Callback, Logs

# These import ssl and email, which programs without downloads do not need.
urllib_error: Any = LazyModule("urllib.error")
urllib_request: Any = LazyModule("urllib.request")
urllib_parse: Any = LazyModule("urllib.parse")


@export("keras.callbacks.RemoteMonitor")
class RemoteMonitor(Callback):
    """Sends the logs of each epoch to a server by HTTP.

    Args:
        root: the URL of the server.
        path: the path on it.
        field: the field of the form that has the logs as JSON.
        headers: further headers.
        send_as_json: whether the logs are the body, as JSON, instead of a form.
    """

    def __init__(
        self,
        root: str = "http://localhost:9000",
        path: str = "/publish/epoch/end/",
        field: str = "data",
        headers: dict[str, str] | None = None,
        send_as_json: bool = False,
    ) -> None:
        super().__init__()
        self.root, self.path, self.field = root, path, field
        self.headers = headers
        self.send_as_json = send_as_json

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Sends the logs; a server that does not answer is only a warning."""
        sent: dict[str, Any] = {"epoch": epoch}
        for name, value in (logs or {}).items():
            sent[name] = value.item() if isinstance(value, (np.ndarray, np.generic)) else value
        if self.send_as_json:
            body, kind = json.dumps(sent), "application/json"
        else:
            body = urllib_parse.urlencode({self.field: json.dumps(sent)})
            kind = "application/x-www-form-urlencoded"
        request = urllib_request.Request(
            self.root + self.path,
            data=body.encode(),
            headers={"Content-Type": kind, **(self.headers or {})},
            method="POST",
        )
        try:
            with urllib_request.urlopen(request, timeout=30):
                pass
        except urllib_error.HTTPError:
            pass  # The server has answered.
        except OSError:
            logging.warning("Warning: could not reach RemoteMonitor root server at %s", self.root)
