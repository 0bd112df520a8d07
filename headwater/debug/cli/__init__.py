"""The command line of the debugger, as tensorflow.python.debug.cli has it."""
