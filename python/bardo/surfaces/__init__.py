"""User interfaces of a grimoire: the command line and file loaders."""
