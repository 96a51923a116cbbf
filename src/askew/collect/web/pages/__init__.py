"""The pages, one file per group. Each file ends with ``PAGES``, its part of the table of routes."""
