"""The subcommands of ``askew collect``, which only parse and print; related ones share a file."""
