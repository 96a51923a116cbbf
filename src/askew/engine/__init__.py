"""The engine: build groups, query models, store answers, score, compare, publish."""
