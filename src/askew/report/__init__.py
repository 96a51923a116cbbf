"""Scores to people: one self-contained HTML page, tables for papers, a summary for the terminal.

Everything is made from the ``results.json`` and ``samples.jsonl`` of one or more runs; nothing is measured again.

    load.py           a run's folder -> Run        figures.py   a number with its interval, in print
    pair_table.py     every pair of every run as columns, read in one pass
    report_data.py    the runs, how they differ, their pairs: what every section is drawn from

    html.py           the page, section by section:
    first_screen.py   the verdict in plain sentences, and a meter for each main number
    charts.py         dot plots, heat map, who covers whom; noise_curve.py: accuracy over noise levels
    paper_tables.py   tables in the papers' shape, also as Markdown and LaTeX; model_differences.py
    breaks.py         which tests, rules and words hurt most; answer_flips.py: from which answer to which
    pair_viewer.py    a stratified sample of pairs to look at; thumbnails.py: their images
    provenance.py     how every number was made

    caveats.py        what must be said beside the numbers: coverage, answers decided by their form, modes
    terminal.py       the same in 80 columns
    frame.py, markup.py, plots.py, page/      what all HTML pages of askew are made of
"""
