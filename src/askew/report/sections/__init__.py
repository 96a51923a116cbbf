"""The sections of the page, one file each, as HTML that is complete without any script."""
