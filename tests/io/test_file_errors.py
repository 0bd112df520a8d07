"""Errors of the operating system come out of files as TensorFlow's errors."""

import errno
import io
import os
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.io import files, local_files
from headwater.io.file_errors import code_of_errno, file_error, file_errors


def names(folder):
    return [path.name for path in folder.iterdir()]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def blocked(tmp_path):
    """A path below a regular file."""
    (tmp_path / "file").write_bytes(b"")
    return tmp_path / "file" / "x"


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOENT, tf.errors.NotFoundError),
        (errno.EEXIST, tf.errors.AlreadyExistsError),
        (errno.EACCES, tf.errors.PermissionDeniedError),
        (errno.EROFS, tf.errors.PermissionDeniedError),
        (errno.EISDIR, tf.errors.FailedPreconditionError),
        (errno.ENOTDIR, tf.errors.FailedPreconditionError),
        (errno.ENOSPC, tf.errors.ResourceExhaustedError),
        (errno.EDQUOT, tf.errors.ResourceExhaustedError),
        (errno.EMFILE, tf.errors.ResourceExhaustedError),
        (errno.ENAMETOOLONG, tf.errors.InvalidArgumentError),
        (errno.EFBIG, tf.errors.OutOfRangeError),
        (errno.EXDEV, tf.errors.UnimplementedError),
        (errno.ETIMEDOUT, tf.errors.DeadlineExceededError),
        (errno.ESTALE, tf.errors.AbortedError),
        (errno.EAGAIN, tf.errors.UnavailableError),
        (errno.EIO, tf.errors.UnknownError),
    ],
)
def test_classes_by_number(number, kind):
    error = file_error(OSError(number, "not used"), b"/x/y")
    assert type(error) is kind
    assert error.message == f"/x/y; {os.strerror(number)}"
    assert error.error_code == code_of_errno(number)


def test_within_file_errors():
    with (
        pytest.raises(tf.errors.NotFoundError, match=r"^/no/such; No such file"),
        file_errors("/no/such"),
    ):
        Path("/no/such").stat()
    with pytest.raises(tf.errors.UnknownError, match=r"^p; something$"), file_errors("p"):
        raise OSError("something")
    with pytest.raises(KeyError), file_errors("p"):
        raise KeyError("other errors pass")


def graph_with_variable():
    variable = tf.Variable(np.arange(50_000.0))
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return variable, session


def written_records(path, options=None):
    with tf.python_io.TFRecordWriter(str(path), options) as writer:
        writer.write(os.urandom(1_000_000))


ACTIONS = {
    "records": written_records,
    "gzip records": lambda path: written_records(path, tf.python_io.TFRecordOptions("GZIP")),
    "event file": lambda path: tf.summary.FileWriter(str(path)),
    "write_graph": lambda path: tf.train.write_graph(tf.Graph(), str(path), "g.pb"),
    "export_meta_graph": lambda path: tf.train.export_meta_graph(str(path)),
    "checkpoint state": lambda path: tf.train.update_checkpoint_state(str(path), "m"),
    "read records": lambda path: list(tf.python_io.tf_record_iterator(str(path))),
    "read events": lambda path: list(tf.train.summary_iterator(str(path))),
    "remove checkpoint": lambda path: tf.train.remove_checkpoint(str(path)),
    "vocabulary": lambda path: tf.Session().run(
        tf.nn.fixed_unigram_candidate_sampler([[1]], 1, 2, True, 3, vocab_file=str(path))
    ),
    "print": lambda path: tf.Session().run(tf.print("a", output_stream=f"file://{path}")),
    "matching files": lambda path: tf.Session().run(tf.matching_files(f"{path}/*")),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_below_a_file(action, blocked):
    with pytest.raises(tf.errors.FailedPreconditionError, match="; Not a directory"):
        ACTIONS[action](blocked)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("{root}/file/x", "Failed precondition: {root}/file; Not a directory"),
        ("{root}/none/x", "Not found: {root}/none; No such file or directory"),
    ],
)
def test_checkpoint_reader_quotes_the_error_of_the_folder(name, status, tmp_path):
    (tmp_path / "file").write_text("text")
    name, status = name.format(root=tmp_path), status.format(root=tmp_path)
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.train.NewCheckpointReader(name)
    assert raised.value.message == (
        "Unsuccessful TensorSliceReader constructor: Failed to get matching files on "
        f"{name}: {status}"
    )


@pytest.mark.parametrize(
    "action", ["records", "read records", "read events", "vocabulary", "print"]
)
def test_folder_instead_of_a_file(action, tmp_path):
    with pytest.raises(tf.errors.FailedPreconditionError, match="; Is a directory"):
        ACTIONS[action](tmp_path)


def test_replaced_name_is_a_folder(tmp_path):
    (tmp_path / "g.pb").mkdir()
    with pytest.raises(tf.errors.FailedPreconditionError, match="; Is a directory"):
        tf.train.write_graph(tf.Graph(), str(tmp_path), "g.pb")
    assert names(tmp_path) == ["g.pb"]  # nothing under a temporary name


@pytest.mark.parametrize("version", [1, 2])
def test_saver_of_a_folder_that_is_none(version, blocked, tmp_path):
    _, session = graph_with_variable()
    saver = tf.train.Saver(write_version=version)
    with pytest.raises(ValueError, match=r"Parent directory of .* doesn't exist, can't save"):
        saver.save(session, str(blocked))
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "checkpoint").mkdir()
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"checkpoint.*; Is a directory"):
        saver.save(session, str(tmp_path / "d" / "m"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="; File name too long"):
        saver.save(session, str(tmp_path / ("x" * 300)))


@pytest.mark.parametrize("action", ["records", "gzip records", "print"])
def test_full_device(action):
    with pytest.raises(
        tf.errors.ResourceExhaustedError, match=r"^/dev/full; No space left on device"
    ):
        ACTIONS[action]("/dev/full")


def test_record_writer_forgotten_on_a_full_device(caplog):
    writer = tf.python_io.TFRecordWriter("/dev/full")
    writer.write(b"x")
    del writer
    assert "No space left on device" in caplog.text


class FailingDisk:
    """Makes writing to files fail once some bytes are on the disk."""

    def __init__(self, monkeypatch, number, capacity):
        self.left = capacity
        original = io.FileIO.write

        def write(file, data):
            if self.left < len(data):
                raise OSError(number, os.strerror(number))
            self.left -= len(data)
            return original(file, data)

        class File(local_files._RawFile):
            def write(inner, data):
                try:
                    return write(inner, data)
                except OSError as error:
                    raise file_error(error, inner.name) from None

        monkeypatch.setattr(local_files, "_RawFile", File)


@pytest.mark.parametrize("capacity", [0, 10, 100_000, 2_000_000])
@pytest.mark.parametrize("version", [1, 2])
def test_saver_on_a_full_disk(monkeypatch, tmp_path, capacity, version):
    variable, session = graph_with_variable()
    saver = tf.train.Saver(write_version=version)
    path = saver.save(session, str(tmp_path / "m"))
    before = contents(tmp_path)
    session.run(variable.assign(variable + 1))
    with monkeypatch.context() as patch:
        FailingDisk(patch, errno.ENOSPC, capacity)
        if capacity < 400_000:
            # TensorFlow's writer of format V1 wraps the error.
            error = tf.errors.ResourceExhaustedError if version == 2 else tf.errors.InternalError
            with pytest.raises(error, match="; No space left on device"):
                saver.save(session, path)
            # The old checkpoint is whole, and nothing is left of the new one.
            assert before == contents(tmp_path)
            saver.restore(session, path)
            np.testing.assert_array_equal(session.run(variable), np.arange(50_000.0))
            return
        saver.save(session, path)
    saver.restore(session, path)
    np.testing.assert_array_equal(session.run(variable), np.arange(50_000.0) + 1)


def test_event_file_on_a_full_disk(monkeypatch, tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    FailingDisk(monkeypatch, errno.ENOSPC, 0)
    other = tf.summary.FileWriter(str(tmp_path / "other"))
    other.add_summary(tf.Summary(), 1)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="; No space left on device"):
        other.flush()
    monkeypatch.undo()
    other.close()
    writer.close()
    # What did not fit goes to a new file.
    path = max((tmp_path / "other").iterdir())
    kinds = [event.WhichOneof("what") for event in tf.train.summary_iterator(str(path))]
    assert kinds == ["file_version", "summary"]


def test_folders_that_cannot_be_entered(monkeypatch, tmp_path):
    def stat(path, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "stat", stat)
    text = "; Permission denied"
    for call in (files.is_file, files.is_folder, files.file_exists, files.modified_time):
        with pytest.raises(tf.errors.PermissionDeniedError, match=text):
            call(str(tmp_path))
    with pytest.raises(tf.errors.PermissionDeniedError, match=text):
        tf.train.checkpoint_exists(str(tmp_path / "m"))


def test_long_names():
    name = "/tmp/" + "x" * 300
    assert tf.train.get_checkpoint_state(name) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="; File name too long"):
        tf.train.checkpoint_exists(name)
