"""Asking a model over HTTP: client, chat requests and replies, images as data URLs, rate limit, budget, secrets."""
