"""One module per subcommand.

Each has HELP (one line), `add_arguments(parser)` and `execute(arguments)`, which returns the exit
status. The list of subcommands is the list of the modules here.
"""
