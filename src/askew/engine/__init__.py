"""The engine: build groups, ask models, store answers, score, compare, publish."""
