"""slim.evaluation and the evaluation of tf.contrib.training; values and texts of 1.15.5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import headwater as tf

slim = tf.contrib.slim


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.train.get_or_create_global_step()
        tf.get_variable("v", initializer=2.0)
        session.run([tf.global_variables_initializer()])
        session.run(step.assign(7))
        return tf.train.Saver().save(session, str(tmp_path / "model.ckpt"), global_step=7)


def _metric() -> tuple[Any, Any]:
    tf.train.get_or_create_global_step()
    value = tf.get_variable("v", [])
    total = tf.get_local_variable("total", [], initializer=tf.zeros_initializer())
    tf.summary.scalar("total", total)
    return total, total.assign_add(value)


def test_one_checkpoint(checkpoint: str, tmp_path: Path) -> None:
    total, update = _metric()
    folder = tmp_path / "eval"
    result = slim.evaluation.evaluate_once(
        "", checkpoint, str(folder), num_evals=3, eval_op=update, final_op=total
    )
    assert result == 6.0
    [events] = folder.iterdir()
    written = [e for e in tf.train.summary_iterator(str(events)) if e.summary.value]
    assert [(e.step, e.summary.value[0].simple_value) for e in written] == [(7, 6.0)]


def test_loop_over_checkpoints(checkpoint: str, tmp_path: Path) -> None:
    total, update = _metric()
    initialized = []
    result = slim.evaluation.evaluation_loop(
        "",
        str(tmp_path),
        str(tmp_path / "eval"),
        num_evals=2,
        eval_op=update,
        final_op=total,
        init_fn=lambda scaffold, session: initialized.append(session.run("v:0")),
        eval_interval_secs=0,
        max_number_of_evaluations=1,
    )
    assert result == 4.0
    assert initialized == []  # a checkpoint was restored


def test_loop_without_checkpoints_ends_when_the_time_is_over(tmp_path: Path) -> None:
    total, update = _metric()
    arguments = {"eval_op": update, "final_op": total, "timeout": 0}
    assert slim.evaluation.evaluation_loop("", str(tmp_path), str(tmp_path), **arguments) is None
    answers = iter([False, True])
    assert (
        tf.contrib.training.evaluate_repeatedly(
            str(tmp_path), timeout=0, timeout_fn=lambda: next(answers)
        )
        is None
    )
    assert list(answers) == []


def test_final_values_have_the_structure_of_the_ops() -> None:
    value = tf.get_variable("v", initializer=3.0)
    hooks = [tf.contrib.training.StopAfterNEvalsHook(2, log_progress=False)]
    count = tf.get_local_variable("count", [], initializer=tf.zeros_initializer())
    assert tf.contrib.training.evaluate_once(
        None,
        eval_ops={"add": count.assign_add(1.0)},
        final_ops={"count": count, "double": value * 2.0},
        hooks=hooks,
    ) == {"count": 2.0, "double": 6.0}


@pytest.mark.parametrize(
    ("evals", "logged"), [(3, [1, 2, 3]), (25, [*range(2, 25, 2), 25]), (None, [1, 2])]
)
def test_progress(evals: int | None, logged: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(tf.logging, "info", lambda text, *values: lines.append(text % values))
    hook = tf.contrib.training.StopAfterNEvalsHook(evals)
    for completed in range(1, (evals or 2) + 1):
        context = tf.train.SessionRunContext(None, None)
        values = tf.train.SessionRunValues({"evals_completed": completed}, None, None)
        hook.after_run(context, values)
        assert context.stop_requested == (completed == evals)
    ending = "" if evals is None else f"/{evals}"
    assert lines == [f"Evaluation [{count}{ending}]" for count in logged]


def test_the_counter_of_runs() -> None:
    step = tf.contrib.training.get_or_create_eval_step()
    assert (step.op.name, step.dtype.base_dtype) == ("eval_step", tf.int64)
    assert tf.contrib.training.get_or_create_eval_step() is step
    assert step in tf.local_variables()
    tf.add_to_collection(tf.GraphKeys.EVAL_STEP, tf.constant(1))
    with pytest.raises(ValueError, match=r"Multiple tensors added to tf\.GraphKeys\.EVAL_STEP"):
        tf.contrib.training.get_or_create_eval_step()


def test_summaries_need_a_place() -> None:
    with pytest.raises(ValueError, match=r"One of log_dir or summary_writer should be used\."):
        tf.contrib.training.SummaryAtEndHook()


def test_evaluation_in_a_session_as_in_release_0_12(session: tf.Session) -> None:
    total, update = _metric()
    value = slim.evaluation.evaluation(
        session,
        num_evals=2,
        initial_op=[
            tf.variables_initializer([tf.global_variables()[-1]]),
            tf.local_variables_initializer(),
        ],
        eval_op=update,
        final_op=total,
    )
    assert value == 2 * session.run("v:0")
    with pytest.raises(ValueError, match=r"summary_op was given but summary_writer was None\."):
        slim.evaluation.evaluation(session, summary_op=tf.summary.merge_all())
