"""English for the text perturbations: tags, inflection, WordNet, synonyms, paraphrases, translation."""
