"""The command line tool of SavedModels: `headwater saved-model show|run|scan`."""

ON_DEMAND = ()  # for programs that import it, and for the command
