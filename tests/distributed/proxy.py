"""A TCP proxy on loopback that cuts, stalls and slows the connections through it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import Any


class Proxy:
    """Forwards connections to a port of this machine.

    Args:
        port: the port.

    Attributes:
        address: where it listens, ``localhost:port``.
        delay: how many seconds each piece of data is held.
        connections: the number of connections that were made.
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self.delay = 0.0
        self.connections = 0
        self._open = threading.Event()
        self._open.set()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"localhost:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Ends all connections; new ones can be made."""
        sockets, self._sockets = self._sockets, []
        for end in sockets:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def stall(self) -> None:
        """Takes data but passes nothing on, as if a cable were pulled."""
        self._open.clear()

    def go_on(self) -> None:
        """Ends `stall`; what was held arrives."""
        self._open.set()

    def close(self) -> None:
        """Ends all connections and takes no more."""
        self._listener.close()
        self.cut()
        self.go_on()

    def _accept(self) -> None:
        while True:
            try:
                one, _ = self._listener.accept()
                two = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                return
            self.connections += 1
            self._sockets += [one, two]
            for source, target in ((one, two), (two, one)):
                threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source: Any, target: Any) -> None:
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(1 << 16)
                self._open.wait()
                if self.delay:
                    time.sleep(self.delay)
                if not data:
                    target.shutdown(socket.SHUT_WR)
                    return
                target.sendall(data)
