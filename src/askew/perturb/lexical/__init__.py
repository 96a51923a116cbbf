"""VQA P2: a question with some of its words exchanged for synonyms, paraphrases or antonyms.

Whitehead, Wu, Fung, Ji, Feris and Saenko, "Learning from Lexical Perturbations for Consistent Visual Question
Answering", 2020, §3. The paper's generator was not published; this one follows its text, with WordNet and reviewed
rules, and PPDB files if the user has them.
"""

from askew.perturb.lexical.p2_perturbation import TYPES, P2Perturbation, fit

__all__ = ["TYPES", "P2Perturbation", "fit"]
