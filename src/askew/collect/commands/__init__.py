"""The subcommands of ``askew collect``, one file each or a few in one, which only parse and print."""
