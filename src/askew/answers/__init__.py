"""Answers as text: the official VQA normalisation, multiple choice, and answers extracted from free text."""
