from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import headwater
from headwater.cli import command_line, program
from headwater.compat import install as hook

ROOT = Path(headwater.__file__).parent.parent


def headwater_command(
    folder: Path, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs `python -m headwater WORDS` in a folder."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "headwater", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "100", **environment},
        check=False,
    )


@pytest.fixture
def write(tmp_path):
    """A function that writes a program and returns its name."""

    def write_program(name: str, text: str) -> str:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        return name

    return write_program


@pytest.fixture
def _hook_removed():
    yield
    hook.uninstall()


SHOW = """\
import sys
import tensorflow as tf
import helper
print(__name__, __package__, __spec__, __doc__)
print(__file__)
print(sys.argv)
print(sys.path[0])
print(tf.__version__, helper.tf is tf, sys.modules["__main__"].tf is tf)
"""


def test_program_sees_what_python_would_give_it(write, tmp_path):
    write("folder/prog.py", SHOW)
    write("folder/helper.py", "import tensorflow as tf\n")
    (tmp_path / "link.py").symlink_to(tmp_path / "folder" / "prog.py")
    expected = [
        "__main__ None None None",
        str(tmp_path / "link.py"),
        "['./link.py', '--steps', '3', '-x', '--help']",
        str(tmp_path / "folder"),
        "1.15.0 True True",
    ]
    arguments = ["./link.py", "--steps", "3", "-x", "--help"]
    result = headwater_command(tmp_path, "run", *arguments)
    assert result.stdout.splitlines() == expected, result.stderr
    result = headwater_command(tmp_path, *arguments)
    assert result.stdout.splitlines() == expected, result.stderr


def test_module_and_code(write, tmp_path):
    write("package/__init__.py", "")
    write(
        "package/prog.py", "import sys, tensorflow\nprint(__name__, sys.argv, tensorflow.VERSION)"
    )
    result = headwater_command(tmp_path, "run", "-m", "package.prog", "-a", "b")
    name = str(tmp_path / "package" / "prog.py")
    assert result.stdout == f"__main__ {[name, '-a', 'b']} 1.15.0\n", result.stderr
    code = "import sys, tensorflow; print(__name__, sys.argv, sys.path[0] == '')"
    result = headwater_command(tmp_path, "-c", code, "-a")
    assert result.stdout == "__main__ ['-c', '-a'] True\n", result.stderr


@pytest.mark.parametrize(
    ("statement", "status", "error"),
    [
        ("import sys; sys.exit(7)", 7, ""),
        ("import sys; sys.exit('no good')", 1, "no good\n"),
        pytest.param("raise SystemExit", 0, "", marks=pytest.mark.slow),
        ("raise KeyboardInterrupt", 130, "KeyboardInterrupt"),
        pytest.param("import os; os._exit(9)", 9, "", marks=pytest.mark.slow),
    ],
)
def test_exit_status_passes_through(write, tmp_path, statement, status, error):
    result = headwater_command(tmp_path, write("prog.py", statement))
    assert result.returncode == status
    assert error in result.stderr
    assert "headwater/cli" not in result.stderr


def test_traceback_begins_in_the_program(write, tmp_path):
    text = 'def f():\n    raise ValueError("bad")\n\n\nf()\n'
    expected = (
        "Traceback (most recent call last):\n"
        '  File "{name}", line 5, in <module>\n    f()\n'
        '  File "{name}", line 2, in f\n    raise ValueError("bad")\nValueError: bad\n'
    )
    write("prog.py", text)
    for words in (["prog.py"], ["-m", "prog"]):
        result = headwater_command(tmp_path, *words)
        assert result.stderr == expected.format(name=tmp_path / "prog.py")
        assert result.returncode == 1


def test_program_may_handle_its_own_errors(write, tmp_path):
    text = (
        "import atexit, sys\n"
        "sys.excepthook = lambda kind, value, tb: print('hook', kind.__name__, tb.tb_lineno)\n"
        "last = 'globals are there'\n"
        "atexit.register(lambda: print(last))\n"
        "1 / 0\n"
    )
    result = headwater_command(tmp_path, write("prog.py", text))
    assert result.stdout == "hook ZeroDivisionError 5\nglobals are there\n"
    assert (result.returncode, result.stderr) == (1, "")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("print 'hello'\n", "This looks like a program for Python 2. Convert it first"),
        ("try:\n    pass\nexcept A, b:\n    pass\n", "This looks like a program for Python 2"),
        pytest.param(
            "for i in xrange(3): pass\n",
            "xrange is a name of Python 2; in Python 3 it is range.",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_hint_for_programs_of_python_2(write, tmp_path, text, hint):
    result = headwater_command(tmp_path, write("prog.py", text))
    assert result.returncode == 1
    assert 'File "' in result.stderr
    assert f"headwater: {hint}" in result.stderr
    assert "headwater/cli" not in result.stderr


NEWER_NUMPY = pytest.mark.skipif(
    tuple(map(int, np.__version__.split(".")[:2])) < (2, 4),
    reason=f"NumPy {np.__version__} still allows what the programs do",
)


@NEWER_NUMPY
@pytest.mark.parametrize(
    "line",
    [
        "int(np.array([1]))",
        "np.reshape(np.zeros(4), newshape=(2, 2))",
        "np.no_such_name",
        "np.zeros(2).no_such_name",
        "np.array([1, 2], copy=False, dtype=np.float32)",
        "np.fromstring(b'abcd', np.int32)",
        "np.uint8(-1)",
        "from numpy.testing.decorators import slow",
        "from numpy import no_such_name",
    ],
)
def test_errors_of_newer_numpy_name_the_extra_for_programs(line, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    assert program.run_code(f"import numpy as np\n{line}\n", []) == 1
    shown = capsys.readouterr().err
    assert f"If the program was written for an older NumPy than {np.__version__}" in shown
    assert "pip install 'headwater[programs]'" in shown


@pytest.mark.parametrize("line", ["int([1])", "{}.no_such_name", "import no_such_module"])
def test_errors_of_others_name_no_extra(line, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    assert program.run_code(line, []) == 1
    shown = capsys.readouterr().err
    assert "Error" in shown
    assert "headwater[programs]" not in shown


@pytest.mark.usefixtures("_hook_removed")
def test_programs_that_cannot_be_started(write, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("train_model.py", "")
    write("folder/x.py", "")
    write("notes.ipynb", "{}")
    (tmp_path / "data.bin").write_bytes(b"\0\1\2")

    def message_of(*words: str) -> str:
        assert command_line.main(words) == 2
        return capsys.readouterr().err

    assert message_of("run", "train_modle.py") == (
        "headwater: can't open file 'train_modle.py': No such file or directory. "
        "Did you mean train_model.py?\n"
    )
    assert "can't open file 'nosuch': No such file" in message_of("run", "nosuch")
    assert "'dmeo' is neither a program nor a command" in message_of("dmeo")
    assert f"Commands: {', '.join(command_line.find_commands())}" in message_of("dmeo")
    assert "'folder' is a folder. Name a program in it." in message_of("folder")
    assert "'notes.ipynb' is a notebook. In its first cell write" in message_of("notes.ipynb")
    assert "'data.bin' is not a Python program" in message_of("data.bin")
    assert "No module named nosuch_module" in message_of("-m", "nosuch_module")


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as caught:
        command_line.main(["--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    for name, module in command_line.find_commands().items():
        assert f"\n    {name}" in out
        assert module.HELP in " ".join(out.split())
    with pytest.raises(SystemExit) as caught:
        command_line.main([])
    assert caught.value.code == 2
    assert "the following arguments are required: COMMAND" in capsys.readouterr().err


STACK = """\
import os
import tensorflow as tf

def build():
    return tf.constant(1.0)

files = [os.path.basename(frame[0]) for frame in build().op.traceback]
print(files[:2])
"""


def test_stacks_of_ops_begin_in_the_program(tmp_path, write):
    write("program.py", STACK)
    for words in (["program.py"], ["-m", "program"]):
        done = headwater_command(tmp_path, "run", *words)
        assert done.stdout == "['program.py', 'program.py']\n", done.stderr


FRAMES = """
import inspect

frames = [frame for frame in inspect.stack() if not frame.filename.startswith("<frozen")]
print([frame.filename for frame in frames if inspect.getmodule(frame.frame) is None])
"""


def test_inspect_finds_the_modules_of_all_frames(tmp_path, write):
    write("program.py", FRAMES)
    done = headwater_command(tmp_path, "run", "program.py")
    assert done.stdout == "[]\n", done.stderr
