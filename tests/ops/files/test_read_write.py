from __future__ import annotations

import pytest

import headwater as tf


def test_reading(session, tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"\xff\x00content")
    content = tf.read_file(str(path))
    assert (content.op.name, content.op.type, content.shape) == ("ReadFile", "ReadFile", ())
    assert session.run(content) == b"\xff\x00content"
    path.write_bytes(b"later")
    assert session.run(content) == b"later"


def test_writing_makes_folders_and_replaces(session, tmp_path):
    path = tmp_path / "new" / "deep" / "f"
    for content in ("first", "2nd"):
        writing = tf.io.write_file(str(path), content)
        assert session.run(writing) is None
        assert path.read_text() == content
    assert writing.type == "WriteFile"


def test_files_that_cannot_be_read_or_written(session, tmp_path):
    (tmp_path / "f").touch()
    root = str(tmp_path)
    cases = [
        (tf.read_file(f"{root}/none"), tf.errors.NotFoundError, "none; No such file or directory"),
        (tf.read_file(root), tf.errors.FailedPreconditionError, "; Is a directory"),
        (tf.write_file(root, "x"), tf.errors.FailedPreconditionError, "; Is a directory"),
        (tf.write_file(f"{root}/f/q/x", ""), tf.errors.FailedPreconditionError, "Not a directory"),
    ]
    for fetch, error, text in cases:
        with pytest.raises(error, match=text):
            session.run(fetch)


def test_shapes(session):
    for call in (tf.read_file, lambda name: tf.write_file(name, "x")):
        with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
            call(["f"])
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.write_file("f", ["x"])
    fed = tf.placeholder(tf.string)
    named = r"Input filename tensor must be scalar, but had shape: \[1\]"
    for fetch in (tf.read_file(fed), tf.write_file(fed, "x")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=named):
            session.run(fetch, {fed: ["f"]})
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Contents tensor must be scalar, but had shape: \[1\]",
    ):
        session.run(tf.write_file("f", fed), {fed: ["x"]})


def test_names_that_were_matched_once(session, tmp_path):
    for name in ("b", "a", "c.txt"):
        (tmp_path / name).touch()
    names = tf.train.match_filenames_once([f"{tmp_path}/?", f"{tmp_path}/*.txt"])
    session.run(tf.local_variables_initializer())
    expected = [f"{tmp_path}/{name}".encode() for name in ("a", "b", "c.txt")]
    assert session.run(names).tolist() == expected
    (tmp_path / "d").touch()
    assert session.run(names).tolist() == expected
    assert names.name == "matching_filenames:0"
    assert tf.local_variables() == [names]
