"""Files on disk: reading and writing, paths, locks, images, limits, packaged resources."""
