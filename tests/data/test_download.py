from __future__ import annotations

import contextlib
import gzip
import hashlib
import http.server
import re
import socket
import threading

import pytest

from headwater.base import errors
from headwater.data import download, mnist
from headwater.io import files, remote_files

pytestmark = pytest.mark.network


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves `server.files`, disconnects after `server.budget` bytes, may support ranges."""

    def do_GET(self):
        server = self.server
        server.requests.append((self.path, self.headers.get("Range")))
        content = server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        start = int(re.findall(r"\d+", self.headers.get("Range") or "0")[0])
        if not server.ranges:
            start = 0
        if start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        piece = content[start:]
        if server.budget is not None:
            piece = piece[: server.budget]
        self.wfile.write(piece)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.files, running.requests = {}, []
        running.budget, running.ranges = None, True
        running.url = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, args=[0.01])
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _direct(monkeypatch):
    monkeypatch.delenv("HEADWATER_OFFLINE", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def test_second_address_serves_when_the_first_does_not(server, tmp_path):
    server.files["/b/x.gz"] = b"content"
    path = tmp_path / "new" / "x.gz"
    urls = [f"{server.url}/a/x.gz", f"{server.url}/b/x.gz"]
    assert download.fetch(urls, path) == path
    assert path.read_bytes() == b"content"
    assert [p.name for p in path.parent.iterdir()] == ["x.gz"]
    download.fetch(urls, path)
    assert len(server.requests) == 2


def test_all_addresses_fail(server, tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = f"127.0.0.1:{unused.getsockname()[1]}"
    urls = [f"{server.url}/a", f"http://{closed}/a"]
    with pytest.raises(download.DownloadError, match=rf"Not Found.*; {closed}: .*refused"):
        download.fetch(urls, tmp_path / "new" / "x")
    assert not (tmp_path / "new").exists()


def test_silent_server_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "CONNECT_SECONDS", 0.1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(download.DownloadError, match=r"no answer within 0\.1 seconds"):
            download.fetch([url], tmp_path / "x")
        for thread in threading.enumerate():
            if thread.name == "headwater-connect":
                with contextlib.suppress(OSError):
                    silent.accept()[0].close()
                thread.join()


def test_broken_connection_is_resumed(server, tmp_path):
    content = bytes(range(256)) * 1000
    server.files["/x"] = content
    server.budget = 100_000
    path = download.fetch([f"{server.url}/x"], tmp_path / "x")
    assert path.read_bytes() == content
    assert server.requests == [
        ("/x", None),
        ("/x", "bytes=100000-"),
        ("/x", "bytes=200000-"),
    ]


def test_part_of_an_earlier_call_is_resumed(server, tmp_path):
    server.files["/x"] = b"0123456789"
    (tmp_path / "x.part").write_bytes(b"0123")
    path = download.fetch([f"{server.url}/x"], tmp_path / "x", lambda part: "")
    assert path.read_bytes() == b"0123456789"
    assert server.requests == [("/x", "bytes=4-")]
    assert not (tmp_path / "x.part").exists()


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("part", [b"0123", b"abcd", b"0123456789", b"01234567890123"])
def test_any_part_ends_in_the_right_content(server, tmp_path, part, ranges):
    server.files["/x"] = b"0123456789"
    server.ranges = ranges
    (tmp_path / "x.part").write_bytes(part)

    def problem_of(path):
        return "" if path.read_bytes() == b"0123456789" else "wrong"

    path = download.fetch([f"{server.url}/x"], tmp_path / "x", problem_of)
    assert path.read_bytes() == b"0123456789"


def test_content_that_fails_the_check_is_removed(server, tmp_path):
    server.files["/x"] = b"something else"
    with pytest.raises(download.DownloadError, match="not what was asked for"):
        download.fetch([f"{server.url}/x"], tmp_path / "x", lambda part: "not what was asked for")
    assert list(tmp_path.iterdir()) == []


def test_concurrent_calls_download_once(server, tmp_path):
    server.files["/x"] = b"x" * 500_000
    results = []
    threads = [
        threading.Thread(
            target=lambda: results.append(download.fetch([f"{server.url}/x"], tmp_path / "x"))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_bytes() for path in results] == [server.files["/x"]] * 4
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_mnist_is_downloaded_and_checked(server, tmp_path, monkeypatch, capsys):
    contents = {}
    for name in mnist._FILES:
        rank = 3 if "images" in name else 1
        shape = b"\0\0\0\3" * rank
        contents[name] = bytes([0, 0, 8, rank]) + shape + bytes(range(3**rank))
        server.files[f"/good/{name}"] = gzip.compress(contents[name])
        server.files[f"/bad/{name}"] = gzip.compress(b"forged")
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    monkeypatch.setattr(mnist, "_FILES", digests)
    monkeypatch.setattr(mnist, "_MIRRORS", (f"{server.url}/bad/", f"{server.url}/good/"))
    sets = mnist.read_data_sets(str(tmp_path), validation_size=1)
    assert [part.num_examples for part in sets] == [2, 1, 3]
    assert "SAMPLE" not in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == set(digests)

    monkeypatch.setattr(mnist, "_MIRRORS", (f"{server.url}/bad/",))
    sets = mnist.read_data_sets(str(tmp_path / "other"))
    assert sets.train.num_examples == 9_000
    assert "content is not that of MNIST (SHA-256)" in capsys.readouterr().err


def test_other_source_is_used_unchecked(server, tmp_path):
    for name in mnist._FILES:
        rank = 3 if "images" in name else 1
        content = bytes([0, 0, 8, rank]) + b"\0\0\0\2" * rank + bytes(2**rank)
        server.files[f"/fashion/{name}"] = gzip.compress(content)
    sets = mnist.read_data_sets(
        str(tmp_path), source_url=f"{server.url}/fashion", validation_size=1
    )
    assert sets.test.num_examples == 2


def test_maybe_download(server, tmp_path, capsys):
    server.files["/some/where"] = b"12345"
    found = mnist.maybe_download("x.bin", str(tmp_path / "d"), f"{server.url}/some/where")
    assert found == str(tmp_path / "d" / "x.bin")
    assert capsys.readouterr().out == "Successfully downloaded x.bin 5 bytes.\n"
    assert mnist.maybe_download("x.bin", str(tmp_path / "d"), "http://unused") == found
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "name",
    ["../x", "a/../../x", "/etc/x", "..", "", "..\\x", "a\\..\\x", "C:\\x", "C:x", "\\\\host\\x"],
)
def test_names_that_lead_out_of_the_folder(tmp_path, name):
    with pytest.raises(ValueError, match="must be relative and without"):
        mnist.maybe_download(name, str(tmp_path / "d"), "http://127.0.0.1:9/x")
    assert list(tmp_path.iterdir()) == []


def test_names_in_the_folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b..gz").write_bytes(b"x")
    found = mnist.maybe_download("a/b..gz", str(tmp_path), "http://127.0.0.1:9/x")
    assert found == str(tmp_path / "a" / "b..gz")


def test_folders_and_sources_of_other_schemes(server, tmp_path, capsys):
    server.files["/x"] = b"12345"
    folder = "memory://downloads/new"
    path = download.fetch([f"{server.url}/x"], download.path_in(folder, "a/x"))
    assert path == "memory://downloads/new/a/x"
    assert files.read_bytes(path) == b"12345"
    assert download.fetch(["memory://nowhere"], path) == path
    local = download.fetch(["memory://nowhere/y", path], tmp_path / "new" / "y")
    assert local.read_bytes() == b"12345"
    assert [found.name for found in local.parent.iterdir()] == ["y"]
    found = mnist.maybe_download("z", folder, f"{server.url}/x")
    assert found == "memory://downloads/new/z"
    assert capsys.readouterr().out == "Successfully downloaded z 5 bytes.\n"


def test_unsound_files_of_other_schemes_are_removed(tmp_path):
    with files.open_file("memory://downloads/bad", "wb") as file:
        file.write(b"bad")
    urls = ["memory://downloads/none", "memory://downloads/bad"]
    with pytest.raises(download.DownloadError, match=r"none.*; downloads: unsound"):
        download.fetch(urls, tmp_path / "x", lambda part: "unsound")
    assert list(tmp_path.iterdir()) == []


def test_mnist_in_a_folder_at_a_url(monkeypatch):
    monkeypatch.setenv("HEADWATER_OFFLINE", "1")
    for name in mnist._FILES:
        rank = 3 if "images" in name else 1
        content = bytes([0, 0, 8, rank]) + b"\0\0\0\2" * rank + bytes(2**rank)
        files.make_folders("memory://mnist")
        with files.open_file(f"memory://mnist/{name}", "wb") as file:
            file.write(gzip.compress(content))
    sets = mnist.read_data_sets("memory://mnist", validation_size=1)
    assert sets.test.num_examples == 2


def test_a_missing_client_names_the_extra_that_brings_it(monkeypatch):
    class NoClients:
        def get_filesystem_class(self, scheme):
            raise ImportError(f"no client of {scheme}")

    monkeypatch.setattr(remote_files, "_fsspec", NoClients())
    for scheme, extra in {"gs": "gcs", "s3": "s3", "https": "http"}.items():
        with pytest.raises(errors.UnimplementedError, match=rf'"headwater\[{extra}\]"'):
            files.file_exists(f"{scheme}://a/b")
