"""Surveys: fixed questions that several different people answer in batches, such as a human baseline or an audit."""
