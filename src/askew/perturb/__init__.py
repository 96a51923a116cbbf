"""From a question to its variants: one module for each family of changes, one frozen dataclass for each change."""
