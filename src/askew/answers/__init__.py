"""Answers as text: the official VQA normalisation, and answers extracted from free text."""
