"""The statistics of a study or a release: the tables and figures of Adversarial VQA (Li et al. 2021), with intervals.

sources  a study or a release                          facts  the numbers of each question
tables, work_tables, figures, human_coding  contents  sheets  columns, shares and means with intervals
drawings, page  SVG figures, and all files            statistics  everything together
tables.yaml  their texts, and the paper's figures      vocabulary  answers for Table 9
"""
