"""A server of the files of a folder that speaks WebHDFS, as a name node and a data node in one."""

from __future__ import annotations

import contextlib
import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

_ROOT = "/webhdfs/v1"


def _status(path: Path, suffix: str) -> dict[str, Any]:
    found = path.stat()
    kind = "DIRECTORY" if path.is_dir() else "FILE"
    length = 0 if path.is_dir() else found.st_size
    modified = int(found.st_mtime * 1000)
    return {"pathSuffix": suffix, "type": kind, "length": length, "modificationTime": modified}


class _Handler(http.server.BaseHTTPRequestHandler):
    folder: Path
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        pass

    def _serve(self) -> None:
        url = urlsplit(self.path)
        self.options = {key: values[0] for key, values in parse_qs(url.query).items()}
        self.name = unquote(url.path)[len(_ROOT) :]
        self.target = self._at(self.name)
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            getattr(self, self.options["op"].lower())()
        except FileNotFoundError:
            self._fail(404, "FileNotFoundException", f"File does not exist: {self.name}")

    do_GET = do_PUT = do_POST = do_DELETE = _serve

    def _at(self, name: str) -> Path:
        return self.folder / name.strip("/")

    def _send(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def _tell(self, **content: Any) -> None:
        self._send(200, json.dumps(content).encode())

    def _fail(self, status: int, exception: str, message: str) -> None:
        error = {"RemoteException": {"exception": exception, "message": message}}
        self._send(status, json.dumps(error).encode())

    def _is_sent_on(self) -> bool:
        """Sends a request that takes or gives data on to the data node; False if it comes there."""
        if "node" in self.options:
            return False
        host = self.headers["Host"]
        self._send(307, Location=f"http://{host}{self.path}&node=data")
        return True

    def getfilestatus(self) -> None:
        self._tell(FileStatus=_status(self.target, ""))

    def liststatus(self) -> None:
        found = [_status(path, path.name) for path in sorted(self.target.glob("*"))]
        if not self.target.is_dir():
            found = [_status(self.target, "")]
        self._tell(FileStatuses={"FileStatus": found})

    def mkdirs(self) -> None:
        self.target.mkdir(parents=True, exist_ok=True)
        self._tell(boolean=True)

    def rename(self) -> None:
        """Moves into a folder that exists; never replaces a file."""
        target = self._at(self.options["destination"])
        if target.is_dir():
            target /= self.target.name
        possible = self.target.exists() and not target.exists() and target.parent.is_dir()
        if possible:
            self.target.rename(target)
        self._tell(boolean=possible)

    def delete(self) -> None:
        if not self.target.exists():
            self._tell(boolean=False)
        elif self.target.is_file():
            self.target.unlink()
            self._tell(boolean=True)
        elif any(self.target.iterdir()) and self.options.get("recursive") != "true":
            text = f"`{self.name} is non empty': Directory is not empty"
            self._fail(403, "PathIsNotEmptyDirectoryException", text)
        else:
            shutil.rmtree(self.target)
            self._tell(boolean=True)

    def open(self) -> None:
        if not self._is_sent_on():
            start, length = (int(self.options[key]) for key in ("offset", "length"))
            self._send(200, self.target.read_bytes()[start : start + length])

    def create(self) -> None:
        if not self._is_sent_on():
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self.target.write_bytes(self.body)
            self._send(201)

    def append(self) -> None:
        if not self.target.is_file():
            raise FileNotFoundError
        if not self._is_sent_on():
            with self.target.open("ab") as file:
                file.write(self.body)
            self._send(200)


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serves a folder; gives the URL of its root."""
    handler = type("Handler", (_Handler,), {"folder": folder})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.daemon_threads = True
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"webhdfs://127.0.0.1:{running.server_port}"
        finally:
            running.shutdown()
            thread.join()
