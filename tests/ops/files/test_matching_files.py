"""Names of files that match patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater as tf


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sub" / "x").mkdir(parents=True)
    for name in ("b.txt", "a.txt", ".hidden", "sub/c.txt", "sub/x/d.txt"):
        (tmp_path / name).write_text("text")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*", [".hidden", "a.txt", "b.txt", "sub"]),
        ("?.txt", ["a.txt", "b.txt"]),
        ("[a].txt", ["a.txt"]),
        ("*/*.txt", ["sub/c.txt"]),
        ("**/*.txt", ["sub/c.txt"]),
        ("sub/*", ["sub/c.txt", "sub/x"]),
        ("a.txt", ["a.txt"]),
        ("none", []),
        ("none*", []),
    ],
)
def test_patterns(folder, pattern, expected):
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tf.matching_files(str(folder / pattern)))
    assert [name.decode() for name in found] == [str(folder / name) for name in expected]


def test_a_folder_that_does_not_exist(folder):
    missing = pytest.raises(tf.errors.NotFoundError, match="missing; No such file or directory")
    with tf.Graph().as_default(), tf.Session() as session, missing:
        session.run(tf.matching_files(str(folder / "missing" / "*")))


def test_match_filenames_once(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        names = tf.train.match_filenames_once([str(folder / "b*"), str(folder / "a*")])
        assert names in tf.local_variables()
        session.run(tf.local_variables_initializer())
        (folder / "a2.txt").write_text("text")
        found = session.run(names)
    assert [name.decode() for name in found] == [str(folder / n) for n in ("a.txt", "b.txt")]


def test_a_file_is_found_once_for_each_pattern(session, tmp_path):
    for name in ("a.x", "ab.x", "b.x"):
        (tmp_path / name).write_bytes(b"")
    patterns = [str(tmp_path / text) for text in ("?.x", "*.x")]
    found = [Path(name.decode()).name for name in session.run(tf.matching_files(patterns))]
    # As TensorFlow 1.15.5.
    assert found == ["a.x", "a.x", "ab.x", "b.x", "b.x"]
    assert session.run(tf.matching_files([patterns[0]] * 2)).size == 4
    assert session.run(tf.matching_files(tf.constant([], tf.string))).shape == (0,)
