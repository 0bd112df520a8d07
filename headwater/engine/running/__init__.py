"""One `session.run`: its plan, and the execution of the plan."""
