"""CheckpointInputPipelineHook: iterators that go on where a program stopped."""

from types import SimpleNamespace

import pytest

import headwater as tf


def estimator(folder, **config):
    settings = {
        "num_worker_replicas": 1,
        "task_type": "worker",
        "task_id": 0,
        "save_checkpoints_steps": None,
        "save_checkpoints_secs": None,
        **config,
    }
    return SimpleNamespace(model_dir=str(folder), config=SimpleNamespace(**settings))


def train(folder, steps, **config):
    """The elements of so many steps of a program that begins anew with the folder's files."""
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        increment = tf.assign_add(step, 1)
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(20))
        fetches = [iterator.get_next(), increment]
        assert tf.get_collection("iterators") == [iterator._iterator_resource]
        hook = tf.data.experimental.CheckpointInputPipelineHook(estimator(folder, **config))
        hook.begin()
        found = []
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), iterator.initializer])
            for _ in range(steps):
                context = SimpleNamespace(session=session)
                arguments = hook.before_run(context)
                element, value = session.run([fetches, arguments.fetches])
                found.append(element[0])
                hook.after_run(context, SimpleNamespace(results=value))
            hook.end(session)
        return found


def saved(folder):
    return sorted(path.stem.rpartition("-")[2] for path in folder.glob("input.ckpt-*.index"))


def test_iterators_go_on_where_they_were_saved(tmp_path):
    assert train(tmp_path, 5, save_checkpoints_steps=2) == [0, 1, 2, 3, 4]
    assert saved(tmp_path) == ["0", "2", "4", "5"]
    state = (tmp_path / "checkpoint_input").read_text()
    assert state.startswith(f'model_checkpoint_path: "{tmp_path}/input.ckpt-5"')
    assert train(tmp_path, 2, save_checkpoints_steps=2) == [5, 6]


def test_seconds_and_the_names_of_workers(tmp_path):
    train(tmp_path, 3, save_checkpoints_secs=1000, num_worker_replicas=2, task_id=1)
    assert sorted(path.name for path in tmp_path.glob("*.index")) == [
        "input_worker_1.ckpt-0.index",
        "input_worker_1.ckpt-3.index",
    ]


def test_what_the_hook_needs(tmp_path):
    Hook = tf.contrib.data.CheckpointInputPipelineHook
    with pytest.raises(ValueError, match="Either save_steps or save_secs should be provided"):
        Hook(estimator(tmp_path))
    with pytest.raises(ValueError, match="Can not provide both save_steps and save_secs"):
        Hook(estimator(tmp_path, save_checkpoints_steps=1, save_checkpoints_secs=1))
    hook = Hook(estimator(tmp_path, save_checkpoints_steps=1))
    with pytest.raises(RuntimeError, match="Global step should be created"):
        hook.begin()
