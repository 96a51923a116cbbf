"""Files on disk: reading and writing, locks, paths, output folders, images, limits, packaged resources."""
