"""RAD's counterfactuals: a question and its answer become a yes/no question with a new answer.

Rosenberg, Gat, Feder and Reichart, "Are VQA Systems RAD? Measuring Robustness to Augmented Data with Focused
Interventions", ACL 2021, §2.2 and App. B. The paper's generator was not published; this one follows its text and
refuses, with a reason, questions that would not be English or would have no certain answer.
"""

from askew.perturb.rad.rad_perturbation import Balance, RadPerturbation, fit

__all__ = ["Balance", "RadPerturbation", "fit"]
