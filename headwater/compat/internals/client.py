"""session, session_ops and timeline: names of sessions that are not public."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.graph import stacks
from headwater.session import fetches, session, timeline
from headwater.session.handles import TensorHandle

internal("framework.ops._default_session_stack")(stacks.sessions)
internal("client.session.BaseSession")(session.BaseSession)
internal("client.session.register_session_run_conversion_functions")(
    fetches.register_session_run_conversion_functions
)
internal("client.timeline.Timeline")(timeline.Timeline)
internal("client.timeline.StepStatsAnalysis")(timeline.StepStatsAnalysis)
internal("client.timeline.AllocationMaximum")(timeline.AllocationMaximum)
internal("ops.session_ops.TensorHandle")(TensorHandle)
