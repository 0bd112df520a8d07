"""The command line tool of SavedModels: `headwater saved-model show|run|scan`."""
