"""The statistics of a study or a release: the tables and figures of Adversarial VQA (Li et al. 2021), with intervals.

told_examples  what both sources say of a question     from_study · from_release  where it comes from
facts          columns of numbers, one per question    identities  what must add up
rates          shares and means with intervals         sheets      a table with its units
tables · figures · coding  what is printed             drawings · page · files  how
"""
