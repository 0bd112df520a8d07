"""The debugger: watches, dumps, a command line, and sessions that are debugged run by run."""
