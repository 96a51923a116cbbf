"""Scores as functions of summed rows: each metric takes a few numbers from a group and makes a score of their sums.

accuracy · correct      VQA accuracy in four modes, worst case included; when an answer counts as correct
rad · consensus · consistency · noise · flips · attacks     the papers' metrics
official · regression   tables that are not sums over groups: the public evaluator's, RAD's prediction of generalisation
scorer · group_rows · sums      from a stream of outcomes to scores, over everything and by part
interval · bounds       the interval of a score, and what missing answers could change
paired_difference       two models on the same groups, with p values
"""
