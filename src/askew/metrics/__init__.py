"""Scores as functions of summed rows: each metric takes a few numbers from a group and makes a score of their sums.

accuracy · correct      VQA accuracy in four modes; when an answer counts as right
rad · consensus · consistency · rscore · noise · flips · introspect · worst · rates · attacks    the papers' metrics
official · coverage · regression      tables that are no sums over groups
ratio · rows · signature · by_image · student · interval · bounds · fillings · scorer · compare
                              scores and differences with intervals and bounds
"""
