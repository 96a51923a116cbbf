"""The statistics of a study or a release: the tables and figures of Adversarial VQA (Li et al. 2021), with intervals.

example_sources  a study and a release as sources     example_records  a question, as both sources give it
example_columns  the numbers of each question         answer_groups    equal answers, confidence and types
tables, work_tables, figures, human_coding  contents  sheets           columns, shares and means with intervals
drawings, page  SVG figures, and all files            statistics       everything together; counts must add up
published  the paper's own figures
"""
