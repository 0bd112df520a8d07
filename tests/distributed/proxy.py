"""A TCP proxy on loopback that cuts, stalls and slows the connections through it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import Any


class Proxy:
    """Forwards connections to ports of this machine.

    Args:
        port: the port that connections to `address` are forwarded to.

    Attributes:
        address: where it listens, ``localhost:port``.
        delay: how many seconds each piece of data is held.
        connections: the number of connections that were made.
    """

    def __init__(self, port: int) -> None:
        self.delay = 0.0
        self.connections = 0
        self._open = threading.Event()
        self._open.set()
        self._sockets: list[socket.socket] = []
        self._listeners: list[socket.socket] = []
        self.address = f"localhost:{self.port_to(port)}"

    def port_to(self, port: int) -> int:
        """A new port of the proxy, which forwards to another port, too."""
        listener = socket.create_server(("127.0.0.1", 0))
        self._listeners.append(listener)
        threading.Thread(target=self._accept, args=(listener, port), daemon=True).start()
        found: int = listener.getsockname()[1]
        return found

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
        for listener in self._listeners:
            listener.close()
        self.cut()
        self.go_on()

    def _accept(self, listener: socket.socket, port: int) -> None:
        while True:
            try:
                one, _ = listener.accept()
                two = socket.create_connection(("127.0.0.1", port))
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
