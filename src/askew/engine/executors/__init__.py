"""Where work is done: in this process, in several processes, or on a Ray cluster. Results never depend on it."""
