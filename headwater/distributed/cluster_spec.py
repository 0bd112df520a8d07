"""ClusterSpec: the addresses of the tasks of a distributed program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.protos.lazy import cluster_pb2

if TYPE_CHECKING:
    from headwater.protos.cluster_pb2 import ClusterDef


@export("train.ClusterSpec")
class ClusterSpec:
    """The addresses of tasks by job name and task index.

    Args:
        cluster: {job name: list of addresses, or {task index: address}}, a ClusterDef, or another
            ClusterSpec.

    Raises:
        TypeError: if it is something else.

    Example:
        >>> cluster = tf.train.ClusterSpec({"worker": ["a:2222", "b:2222"], "ps": ["c:2222"]})
        >>> print(cluster.num_tasks("worker"), cluster.task_address("ps", 0))
        2 c:2222
    """

    def __init__(self, cluster: Any) -> None:
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster, Mapping):
            for name, tasks in cluster.items():
                self._jobs[name] = _tasks(name, tasks)
        elif isinstance(cluster, ClusterSpec):
            self._jobs = {name: dict(tasks) for name, tasks in cluster._jobs.items()}
        elif hasattr(cluster, "DESCRIPTOR") and hasattr(cluster, "job"):
            for job in cluster.job:
                self._jobs[job.name] = dict(job.tasks)
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network "
                "addresses, or a `ClusterDef` protocol buffer"
            )
        for name, tasks in self._jobs.items():
            _check_texts(name, tasks)

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (ClusterSpec, Mapping)):
            return False
        return self._jobs == ClusterSpec(other)._jobs

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        jobs = ", ".join(f"{name!r}: {tasks!r}" for name, tasks in sorted(self.as_dict().items()))
        return f"ClusterSpec({{{jobs}}})"

    def as_dict(self) -> dict[str, list[str] | dict[int, str]]:
        """Returns the addresses by job: a list if the tasks are numbered from 0 without gaps."""
        return {
            name: [tasks[index] for index in sorted(tasks)]
            if sorted(tasks) == list(range(len(tasks)))
            else dict(tasks)
            for name, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> ClusterDef:
        """Returns a ClusterDef."""
        result: ClusterDef = cluster_pb2.ClusterDef()
        for name, tasks in sorted(self._jobs.items()):
            job = result.job.add(name=name)
            for index, address in sorted(tasks.items()):
                job.tasks[index] = address
        return result

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """The number of tasks of a job.

        Raises:
            ValueError: if there is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The indices of the tasks of a job, sorted.

        Raises:
            ValueError: if there is no such job.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        Args:
            job_name: the name of the job.
            task_index: the index of the task.

        Returns:
            The address.

        Raises:
            ValueError: if there is no such job or task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of the tasks of a job by index; None where there is no task.

        Raises:
            ValueError: if there is no such job.
        """
        tasks = self._job(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._jobs[name]


def _tasks(job: Any, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        return dict(enumerate(tasks))
    if isinstance(tasks, Mapping):
        return dict(tasks)
    raise TypeError(
        f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
    )


def _check_texts(job: Any, tasks: dict[int, str]) -> None:
    """Checks the types of a job; bytes become text."""
    if not isinstance(job, (str, bytes)):
        raise TypeError(f"Job name {job!r} must be bytes or unicode")
    for index, address in tasks.items():
        if not isinstance(address, (str, bytes)):
            raise TypeError(f"Task address {address!r} must be bytes or unicode")
        if not isinstance(index, int):
            raise TypeError(f"{index!r} has type {type(index).__name__}, but expected one of: int")
        if isinstance(address, bytes):
            tasks[index] = address.decode()
