"""Scores to people: one self-contained HTML page, tables for papers, a summary for the terminal.

Everything is made from the ``results.json`` and ``samples.jsonl`` of one or more runs; nothing is measured again.

    load.py       a run's folder -> Run          census.py   every pair of every run, as columns, in one pass
    figures.py    a number with its interval     breaks.py   which tests, rules and words hurt most
    verdict.py    numbers -> plain sentences     flips.py    from which answer to which
    tables.py     paper-shaped tables            pairs.py    a stratified sample of pairs (diff.py, pictures.py)
    terminal.py   the same in 80 columns         html.py     the page: sections/ (HTML), page/ (style and script)
"""
