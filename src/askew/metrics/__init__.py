"""Scores as functions of summed rows: each metric takes a few numbers from a group and turns their sums into a score.

accuracy · correct      VQA accuracy in four modes and the official evaluator's table; when an answer counts as correct
rad_metrics · consistency · noise · attacks · calibration       the papers' metrics
yes_no · benchmark_metrics      precision, recall and F1 of yes/no answers; metrics of single benchmarks
run_table · pairs · scorer      from a stream of outcomes to the table of a run, and from it to scores
interval · bounds       the interval of a score, and what missing answers could change
paired_difference · saved_metric        two models on the same groups, with p values
"""
