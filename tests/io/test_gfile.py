"""tf.gfile, tf.io.gfile and file_io; values and texts are those of TensorFlow 1.15.5."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf
from headwater.compat.mirrors.lib.io import file_io

gfile = tf.gfile
MODE = "mode is not 'r' or 'w' or 'a' or 'r\\+' or 'w\\+' or 'a\\+'"


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"line1\nline2\r\n\nlast")
    return str(path)


@pytest.fixture
def tree(tmp_path):
    """A folder with folders and files in it."""
    for folder in ("b/c", "a"):
        (tmp_path / "w" / folder).mkdir(parents=True)
    for file in ("f2", "f1", "b/g", "a/.h"):
        (tmp_path / "w" / file).touch()
    return str(tmp_path / "w")


def test_reading(lines):
    assert gfile.GFile(lines).read() == "line1\nline2\r\n\nlast"
    assert gfile.GFile(lines, "rb").read() == b"line1\nline2\r\n\nlast"
    assert [gfile.GFile(lines).read(n) for n in (0, 3)] == ["", "lin"]
    assert gfile.GFile(lines).readlines() == ["line1\n", "line2\n", "\n", "last"]
    assert list(gfile.GFile(lines, "rb")) == [b"line1\n", b"line2\n", b"\n", b"last"]
    with pytest.raises(OverflowError):
        gfile.GFile(lines).read(-2)


def test_carriage_returns_are_left_out_of_lines(tmp_path):
    (tmp_path / "l").write_bytes(b"a\rb\r\r\nc\r")
    assert gfile.GFile(str(tmp_path / "l")).readlines() == ["ab\n", "c"]


def test_iteration(lines):
    file = gfile.GFile(lines)
    assert iter(file) is file
    assert [next(file), file.next(), file.readline()] == ["line1\n", "line2\n", "\n"]
    assert [*file, file.readline()] == ["last", ""]
    with pytest.raises(StopIteration):
        file.next()


@pytest.mark.parametrize("mode", ["w+", "r+", "wb", "ab", "rb+", "bw", "w", "a+", "w+b", "r+b"])
def test_modes_of_writing(tmp_path, mode):
    path = tmp_path / "m"
    path.write_bytes(b"old")
    with gfile.GFile(str(path), mode) as file:
        assert file.write("é") is None
        assert (file.mode, file.name, file.seekable()) == (mode, str(path), True)
    old = b"old" if "a" in mode else b""
    assert path.read_bytes() == old + b"\xc3\xa9"


@pytest.mark.parametrize("mode", ["x", "U", "rw", "", "rt", "wt", "br+w"])
def test_unknown_modes(mode):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"^{MODE}$"):
        gfile.GFile("f", mode)


def test_what_a_mode_does_not_allow(lines, tmp_path):
    with pytest.raises(tf.errors.PermissionDeniedError, match=r"^File isn't open for writing$"):
        gfile.GFile(lines).write("x")
    for call in (gfile.GFile.read, gfile.GFile.readline, gfile.GFile.next, list):
        with pytest.raises(tf.errors.PermissionDeniedError, match=r"^File isn't open for reading$"):
            call(gfile.GFile(str(tmp_path / "q"), "w"))


def test_nothing_is_opened_before_its_use(tmp_path):
    path = str(tmp_path / "none")
    with gfile.GFile(path, "w"):
        pass
    assert not Path(path).exists()
    file = gfile.GFile(path)
    for call in (file.read, file.size, file.tell, file.readline):
        with pytest.raises(tf.errors.NotFoundError, match=f"^{path}; No such file or directory$"):
            call()
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"; Is a directory$"):
        gfile.GFile(str(tmp_path)).read()


def test_size_and_place_of_a_file_that_is_written(tmp_path):
    path = str(tmp_path / "q")
    file = gfile.GFile(path, "w")
    file.write("abc")
    assert (file.size(), file.tell()) == (0, 3)
    file.flush()
    assert file.size() == 3
    file.write("d")
    file.close()
    assert file.size() == 4
    file.close()
    file.write("new")  # opens it again
    file.close()
    assert gfile.GFile(path).read() == "new"
    added = gfile.GFile(path, "a")
    added.write("abc")
    assert added.tell() == 6


def test_what_is_written_can_be_read_after_flush(tmp_path):
    file = gfile.GFile(str(tmp_path / "n"), "w+")
    file.write("abcdef")
    assert file.read() == ""
    file.flush()
    assert (file.read(), file.tell()) == ("abcdef", 6)
    file.write("gh")
    file.flush()
    assert file.read() == "gh"


@pytest.mark.parametrize(
    "args, place",
    [((0,), 0), ((2,), 2), ((2, 1), 4), ((-2, 2), 16), ((0, 2), 18), ((None, 0, 3), 3)],
)
def test_seek(lines, args, place):
    file = gfile.GFile(lines)
    file.read(2)
    assert file.seek(*args) is None
    assert file.tell() == place


@pytest.mark.parametrize(
    "args, error, text",
    [
        ((-1,), tf.errors.InvalidArgumentError, "Seeking to a negative position: -1"),
        ((-100, 1), tf.errors.InvalidArgumentError, "Seeking to a negative position: -98"),
        (
            (0, 3),
            tf.errors.InvalidArgumentError,
            "Invalid whence argument: 3. Valid values are 0, 1, or 2.",
        ),
        ((100,), tf.errors.OutOfRangeError, "reached end of file"),
        ((5, 2), tf.errors.OutOfRangeError, "reached end of file"),
    ],
)
def test_seek_out_of_range(lines, args, error, text):
    file = gfile.GFile(lines)
    file.read(2)
    with pytest.raises(error) as caught:
        file.seek(*args)
    assert caught.value.message == text


def test_arguments_of_seek(lines):
    file = gfile.GFile(lines)
    with pytest.raises(TypeError, match=r"^seek\(\): offset argument required$"):
        file.seek()
    both = r"^seek\(\): offset and position may not be set simultaneously\.$"
    with pytest.raises(TypeError, match=both):
        file.seek(1, position=3)
    for wrong in (2.5, "a"):
        with pytest.raises(TypeError, match=r"number of bytes"):
            file.seek(wrong)


def test_a_closed_file_is_read_from_its_beginning(lines):
    file = gfile.GFile(lines)
    file.read(4)
    file.close()
    assert (file.read(3), file.tell()) == ("lin", 3)


def test_text_that_is_not_utf8(tmp_path):
    path = tmp_path / "bin"
    path.write_bytes(b"\xff\x00\xfe")
    for call in (gfile.GFile.read, gfile.GFile.readline):
        with pytest.raises(UnicodeDecodeError):
            call(gfile.GFile(str(path)))
    assert gfile.GFile(str(path), "rb").read() == b"\xff\x00\xfe"


@pytest.mark.parametrize("value", [1, None, [1]])
def test_only_text_and_bytes_are_written(tmp_path, value):
    with (
        gfile.GFile(str(tmp_path / "v"), "w") as file,
        pytest.raises(TypeError, match=r"^Expected binary or unicode string, got "),
    ):
        file.write(value)


@pytest.mark.parametrize("name", [1, None, ["x"]])
def test_names_that_are_none(name):
    assert gfile.GFile(name).name == name
    for call in (gfile.Exists, gfile.Stat, gfile.MakeDirs, lambda n: gfile.GFile(n).read()):
        with pytest.raises(TypeError, match=r"^Expected binary or unicode string, got "):
            call(name)


def test_a_file_that_is_forgotten_is_written(tmp_path):
    path = tmp_path / "f"
    gfile.GFile(str(path), "w").write("kept")
    gc.collect()
    assert path.read_text() == "kept"


@given(st.lists(st.binary(max_size=30), max_size=5), st.integers(0, 40))
def test_pieces_are_read_as_they_were_written(tmp_path_factory, pieces, place):
    path = str(tmp_path_factory.getbasetemp() / "pieces")
    with gfile.GFile(path, "wb") as file:
        file.write(b"")
        for piece in pieces:
            file.write(piece)
    data = b"".join(pieces)
    file = gfile.GFile(path, "rb")
    assert file.size() == len(data)
    if place <= len(data):
        file.seek(place)
        assert file.read() == data[place:]


def test_making_folders(tmp_path, lines):
    root = str(tmp_path)
    for _ in range(2):
        gfile.MkDir(f"{root}/d")
        gfile.MakeDirs(f"{root}/x/y/z")
    assert gfile.IsDirectory(f"{root}/x/y/z/")
    with pytest.raises(tf.errors.NotFoundError, match=r"/n/y; No such file or directory$"):
        gfile.MkDir(f"{root}/n/y")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"/q; Not a directory$"):
        gfile.MakeDirs(f"{lines}/q")
    for nothing in (lines, ""):
        gfile.MkDir(nothing)
        gfile.MakeDirs(nothing)


def test_exists(tmp_path, lines):
    names = [lines, str(tmp_path), str(tmp_path / "none"), "", f"{lines}/x"]
    assert [gfile.Exists(name) for name in names] == [True, True, False, False, False]
    assert [gfile.IsDirectory(name) for name in names] == [False, True, False, False, False]
    assert gfile.Exists(lines.encode())


def test_removing(tmp_path, lines, tree):
    with pytest.raises(tf.errors.NotFoundError, match=r"/none; No such file or directory$"):
        gfile.Remove(str(tmp_path / "none"))
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"; Is a directory$"):
        gfile.Remove(tree)
    with pytest.raises(tf.errors.NotFoundError, match=r"/none not found$"):
        gfile.DeleteRecursively(str(tmp_path / "none"))
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"; Not a directory$"):
        gfile.DeleteRecursively(lines)
    gfile.DeleteRecursively(tree)
    gfile.Remove(lines)
    assert list(tmp_path.iterdir()) == []


def test_removing_does_not_follow_links(tmp_path, tree):
    (tmp_path / "l").mkdir()
    (tmp_path / "l" / "link").symlink_to(tree)
    gfile.DeleteRecursively(str(tmp_path / "l"))
    assert not gfile.Exists(str(tmp_path / "l"))
    assert gfile.ListDirectory(tree) == ["a", "b", "f1", "f2"]


def test_listing(tmp_path, tree, lines):
    assert gfile.ListDirectory(tree + "/") == gfile.ListDirectory(tree) == ["a", "b", "f1", "f2"]
    for name in (str(tmp_path / "none"), lines, ""):
        with pytest.raises(tf.errors.NotFoundError, match=f"^Could not find directory {name}$"):
            gfile.ListDirectory(name)


def test_copying(tmp_path, lines):
    target = tmp_path / "c"
    Path(lines).chmod(0o754)
    gfile.Copy(lines, str(target))
    assert target.read_bytes() == Path(lines).read_bytes()
    assert target.stat().st_mode & 0o777 == 0o754
    with pytest.raises(tf.errors.AlreadyExistsError, match=r"^file already exists$"):
        gfile.Copy(lines, str(target))
    gfile.GFile(str(target), "w").write("other")
    gfile.Copy(str(target), lines, overwrite=True)
    assert Path(lines).read_text() == "other"
    gfile.Copy(lines, lines, overwrite=True)
    assert Path(lines).read_text() == "other"


def test_copies_that_cannot_be(tmp_path, lines):
    root = str(tmp_path)
    cases = [
        (f"{root}/none", f"{root}/c", tf.errors.NotFoundError, "none; No such file or directory"),
        (root, f"{root}/c", tf.errors.InvalidArgumentError, "c; Invalid argument"),
        (lines, root, tf.errors.FailedPreconditionError, "; Is a directory"),
        (lines, f"{root}/no/x", tf.errors.NotFoundError, "no/x; No such file or directory"),
    ]
    for source, target, error, text in cases:
        with pytest.raises(error) as caught:
            gfile.Copy(source, target, True)
        assert caught.value.message.endswith(text)


def test_renaming(tmp_path, lines, tree):
    other = str(tmp_path / "other")
    gfile.GFile(other, "w").write("x")
    with pytest.raises(tf.errors.AlreadyExistsError, match=r"^file already exists$"):
        gfile.Rename(lines, other)
    gfile.Rename(lines, other, overwrite=True)
    assert not gfile.Exists(lines)
    assert gfile.GFile(other).read(4) == "line"
    with pytest.raises(tf.errors.NotFoundError, match=r"a.txt; No such file or directory$"):
        gfile.Rename(lines, other, True)
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"other; Is a directory$"):
        gfile.Rename(other, tree, True)
    gfile.Rename(tree, tree + "2")
    assert gfile.ListDirectory(tree + "2") == ["a", "b", "f1", "f2"]


def test_walking(tree, lines):
    down = [
        (tree, ["a", "b"], ["f1", "f2"]),
        (f"{tree}/a", [], [".h"]),
        (f"{tree}/b", ["c"], ["g"]),
        (f"{tree}/b/c", [], []),
    ]
    assert list(gfile.Walk(tree)) == list(tf.io.gfile.walk(tree.encode())) == down
    assert list(gfile.Walk(tree, in_order=False)) == [down[1], down[3], down[2], down[0]]
    assert list(gfile.Walk(lines)) == []
    failures = []
    assert list(tf.io.gfile.walk(tree + "/none", onerror=failures.append)) == []
    assert [type(error) for error in failures] == [tf.errors.NotFoundError]


@pytest.mark.parametrize(
    "pattern, names",
    [
        ("*", ["a", "b", "f1", "f2"]),
        ("*/*", ["a/.h", "b/c", "b/g"]),
        ("f?", ["f1", "f2"]),
        ("f[2-9]", ["f2"]),
        ("f[^1]", ["f2"]),
        ("f[!1]", ["f2"]),
        ("f\\1", ["f1"]),
        ("f1", ["f1"]),
        ("zz", []),
        ("*/", []),
        ("f{1,2}", []),
        ("f[1", []),
    ],
)
def test_glob(tree, pattern, names):
    assert gfile.Glob(f"{tree}/{pattern}") == [f"{tree}/{name}" for name in names]


def test_glob_of_several_patterns(tree):
    patterns = [f"{tree}/f*", f"{tree}/a*"]
    assert gfile.Glob(patterns) == tf.io.gfile.glob(tuple(patterns))
    assert gfile.Glob(patterns) == [f"{tree}/{name}" for name in ("f1", "f2", "a")]
    assert gfile.Glob([]) == []
    with pytest.raises(tf.errors.NotFoundError, match=r"/none; No such file or directory$"):
        gfile.Glob(f"{tree}/none/*")


def test_glob_of_relative_patterns(tree, monkeypatch):
    monkeypatch.chdir(tree)
    assert gfile.Glob("b/*") == ["b/c", "b/g"]
    assert gfile.Glob("f*") == ["./f1", "./f2"]
    assert gfile.Glob("f1") == gfile.Glob("./f1") == ["./f1"]
    assert gfile.Glob("b/c") == ["b/c"] and gfile.Glob("b/") == []
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"^f1; Not a directory$"):
        gfile.Glob("f1/")


def test_statistics(tree, lines):
    found = gfile.Stat(lines)
    assert (found.length, found.is_directory) == (18, False)
    assert found.mtime_nsec == Path(lines).stat().st_mtime_ns
    assert tf.io.gfile.stat(tree).is_directory
    with pytest.raises(tf.errors.NotFoundError, match=r"/none; No such file or directory$"):
        gfile.Stat(tree + "/none")


def test_strings_as_files(tmp_path, lines):
    path = str(tmp_path / "s")
    file_io.write_string_to_file(path, "abc")
    file_io.write_string_to_file(path, b"de")
    assert file_io.read_file_to_string(path) == "de"
    file_io.atomic_write_string_to_file(path, "xyz")
    assert file_io.read_file_to_string(path, binary_mode=True) == b"xyz"
    with pytest.raises(tf.errors.AlreadyExistsError, match=r"^file already exists$"):
        file_io.atomic_write_string_to_file(path, "q", overwrite=False)
    assert gfile.ListDirectory(str(tmp_path)) == ["a.txt", "s"]
    assert file_io.file_crc32(lines) == file_io.file_crc32(lines, 3) == "0x1316efc3"
    assert file_io.filecmp(lines, lines)
    assert not file_io.filecmp(lines, path)


def test_old_and_new_names_are_the_same_class(lines):
    assert gfile.Open is gfile.GFile is tf.io.gfile.GFile
    assert issubclass(gfile.FastGFile, file_io.FileIO)
    assert gfile.FastGFile(lines).read(2) == "li"


def test_glob_of_a_name_in_a_missing_folder(tmp_path, lines):
    root = str(tmp_path)
    with pytest.raises(tf.errors.NotFoundError, match=f"^{root}/none; No such file or directory$"):
        gfile.Glob(f"{root}/none/x")
    with pytest.raises(tf.errors.FailedPreconditionError, match=f"^{lines}; Not a directory$"):
        gfile.Glob(f"{lines}/x")
    assert gfile.Glob(f"{root}/none") == gfile.Glob(f"{root}/") == gfile.Glob("") == []
    assert gfile.Glob(f"{root}/no*/x") == []
