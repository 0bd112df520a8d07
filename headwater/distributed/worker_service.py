"""The worker service: requests of masters and workers in other processes."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import cancellation, errors
from headwater.base.dead import DEAD
from headwater.base.waiting import Waiting
from headwater.distributed.master_service import device_proto
from headwater.distributed.task import task_name
from headwater.distributed.tensors import TensorFields, arrays_of, attachments_of, dtype_of
from headwater.distributed.transport import wire_text
from headwater.distributed.worker import Worker
from headwater.protos.lazy import worker_pb2

# The number of RunGraphResponse.recv and of RecvTensorResponse.tensor.
_TENSOR = 1


class WorkerService:
    """Answers requests with a worker.

    Args:
        worker: the worker.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def methods(self) -> dict[str, Callable[[Any, Any], Any]]:
        """The functions of request and context by method."""
        return {
            "GetStatus": self._get_status,
            "CreateWorkerSession": self._create_session,
            "DeleteWorkerSession": self._delete_session,
            "RegisterGraph": self._register,
            "DeregisterGraph": self._deregister,
            "RunGraph": self._run,
            "CleanupGraph": self._cleanup,
            "CleanupAll": self._cleanup_all,
            "RecvTensor": self._recv_tensor,
            "MarkRecvFinished": lambda request, context: worker_pb2.MarkRecvFinishedResponse(),
            "Logging": lambda request, context: worker_pb2.LoggingResponse(),
            "Tracing": lambda request, context: worker_pb2.TracingResponse(),
        }

    def methods_of_tasks(self) -> dict[str, Callable[[Any, Any], Any]]:
        """The functions of request and context of what only tasks of Headwater call."""
        return {"PutTensors": self._put}

    def _get_status(self, request: Any, context: Any) -> Any:
        devices = map(device_proto, self._worker.devices)
        return worker_pb2.GetStatusResponse(device_attributes=devices)

    def _create_session(self, request: Any, context: Any) -> Any:
        server_def = request.server_def
        self._worker.create_session(
            request.session_handle,
            server_def.default_session_config,
            request.isolate_session_state,
            task_name(server_def.job_name, server_def.task_index),
        )
        return worker_pb2.CreateWorkerSessionResponse()

    def _delete_session(self, request: Any, context: Any) -> Any:
        self._worker.delete_session(request.session_handle)
        return worker_pb2.DeleteWorkerSessionResponse()

    def _register(self, request: Any, context: Any) -> Any:
        handle = self._worker.register(
            request.session_handle, request.graph_def, request.create_worker_session_called
        )
        return worker_pb2.RegisterGraphResponse(graph_handle=handle)

    def _deregister(self, request: Any, context: Any) -> Any:
        self._worker.deregister(request.graph_handle)
        return worker_pb2.DeregisterGraphResponse()

    def _run(self, request: Any, context: Any) -> Any:
        response = worker_pb2.RunGraphResponse()
        stop = cancellation.Cancellation()
        context.add_callback(stop.cancel)
        feeds = arrays_of(request.send, attachments_of(context), False)
        keys = list(request.recv_key)
        try:
            stats = response.step_stats if request.exec_opts.record_timeline else None
            values = self._worker.run(
                request.graph_handle, request.step_id, feeds, keys, stop, stats
            )
            types = self._worker.types_of(request.graph_handle)
            fields = TensorFields(response, _TENSOR)
            for key, value in zip(keys, values):
                fields.add(value, types[key], key)
            return fields
        except errors.OpError as error:
            if not request.store_errors_in_response_body:
                raise
            response.Clear()
            response.status_code = error.error_code
            response.status_error_message = wire_text(error)
        return response

    def _cleanup(self, request: Any, context: Any) -> Any:
        self.clean_up(request, ())
        return worker_pb2.CleanupGraphResponse()

    def _cleanup_all(self, request: Any, context: Any) -> Any:
        self._worker.task.clear(list(request.container))
        return worker_pb2.CleanupAllResponse()

    def _recv_tensor(self, request: Any, context: Any) -> Any:
        replies: queue.SimpleQueue[Any] = queue.SimpleQueue()
        # The caller may have gone.
        context.add_callback(lambda: replies.put(_CANCELLED))
        self.send_tensor(request, context, replies.put)
        reply = replies.get()
        if isinstance(reply, errors.OpError):
            raise reply
        return reply

    def send_tensor(self, request: Any, context: Any, reply: Callable[[Any], object]) -> None:
        """Has a value sent when there is one.

        Args:
            request: a RecvTensorRequest.
            context: the context of the call.
            reply: takes the response, or the error.

        Raises:
            OpError: if the value belongs to an earlier life of this task.
        """
        work = self._worker.give(request.rendezvous_key, request.step_id)
        work.then(lambda: reply(_response(work)))

    def put_tensors(self, request: Any, attachments: Sequence[Any]) -> None:
        """Takes values that another task pushes, and what came beside the request."""
        self._worker.put(request.number, request.values(attachments))

    def _put(self, request: Any, context: Any) -> Any:
        self.put_tensors(request, ())
        return worker_pb2.CleanupGraphResponse()

    def clean_up(self, request: Any, attachments: Sequence[Any]) -> None:
        """Ends a step."""
        self._worker.cleanup(request.step_id)


_CANCELLED = errors.CancelledError(None, None, "RecvTensor is cancelled.")


def _response(work: Waiting) -> Any:
    """The response with a value, or the error."""
    try:
        (value,) = work.result()
    except errors.OpError as error:
        return error
    response = worker_pb2.RecvTensorResponse()
    if value is DEAD:
        response.is_dead = True
        return response
    fields = TensorFields(response, _TENSOR)
    fields.add(value, dtype_of(value))
    return fields
