"""Reports: one self-contained HTML page, tables for papers, a summary for the terminal.

Everything is read from the ``results.json`` and ``samples.jsonl`` of one or more runs; nothing is measured again.

    load.py                a run's folder -> Run, its results.json checked
    pair_table.py          every pair of every run as columns, read in one pass
    report_data.py         the runs, their ranking and differences: the data of every section
    glossary.py            readable names and explanations

    html.py                the page, section by section, and how every number was obtained:
    first_screen.py        which model to choose, the ranking, and each model's verdict and most telling failures
    verdict.py             the sentences on each model; caveats.py: what a reader must know besides the numbers
    suites_section.py      a panel for each suite; charts.py: its plots; curves.py: over levels and budgets, confidence
    breaks.py              the tests, rules and words that cost most
    pair_viewer.py         a stratified sample of pairs to read

    terminal.py            the same in 80 columns
    markup.py, page/       HTML, style and scripts that all pages of askew share
    svg.py, table_formats.py   every chart as SVG; the suites' tables, in every format
"""
