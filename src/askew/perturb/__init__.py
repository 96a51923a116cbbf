"""From a question to its variants: one module or folder per family, one frozen dataclass per change."""
