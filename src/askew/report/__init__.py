"""Reports: one self-contained HTML page, tables for papers, a summary for the terminal.

Everything is read from the ``results.json`` and ``samples.jsonl`` of one or more runs; nothing is measured again.

    load.py           a run's folder -> Run, its results.json checked
    score_display.py  a score with its interval, as text; glossary.py: readable names and explanations
    pair_table.py     every pair of every run as columns, read in one pass
    report_data.py    the runs, their ranking, pairs and differences: the data of every section

    html.py           the page, section by section:
    first_screen.py   which model to choose, the ranking, and each model's verdict and most telling failures
    charts.py         dot plots, heat map, who covers whom
    paper_tables.py   tables laid out as in the papers, also as Markdown and LaTeX
    breaks.py         the tests, rules and words that cost most; answer_flips.py: which answers become which
    pair_viewer.py    a stratified sample of pairs to read; thumbnails.py: their images
    provenance.py     how every number was obtained

    caveats.py        what a reader must know besides the numbers: coverage, answers decided by their form, modes
    terminal.py       the same in 80 columns
    markup.py, plots.py, page/        HTML, plots, style and scripts that all pages of askew share
"""
