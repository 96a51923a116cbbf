"""The subcommands of ``askew collect``, one file each, which only parse and print."""
