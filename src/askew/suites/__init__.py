"""Suites: published evaluations, each with its perturbations, metrics and tables."""
