"""One checkpoint from start to end: mind and scene by a writer that is passed in, memo by the program. No I/O, no clock."""
