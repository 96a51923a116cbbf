"""Published pair benchmarks, one reader per file: each gives ready-made groups."""
