"""What the text perturbations know of English: part-of-speech tags, number, articles, number words."""
