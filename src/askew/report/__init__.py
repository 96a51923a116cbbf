"""Reports: one self-contained HTML page, tables for papers, a summary for the terminal.

Everything is read from the ``results.json`` and ``samples.jsonl`` of one or more runs; nothing is measured again.

    load.py                a run's folder -> Run, its results.json checked
    score_display.py       numbers as text; glossary.py: readable names and explanations
    pair_table.py          every pair of every run as columns, read in one pass
    report_data.py         the runs, their ranking and differences: the data of every section

    html.py                the page, section by section:
    first_screen.py        which model to choose, the ranking, and each model's verdict and most telling failures
    verdict.py             the sentences on each model; caveats.py: what a reader must know besides the numbers
    suites_section.py      a panel for each suite; charts.py: its dot plots, heat map, who covers whom
    paper_tables.py        the suites' tables, laid out as in the papers
    breaks.py              the tests, rules and words that cost most; answer_flips.py: which answers become which
    confidence_section.py  how sure each model is, and how often it is then correct
    pair_viewer.py         a stratified sample of pairs to read; thumbnails.py: their images
    provenance.py          how every number was obtained

    terminal.py            the same in 80 columns
    markup.py, page/       HTML, style and scripts that all pages of askew share
    svg.py, table_formats.py   every chart as SVG; tables as Markdown, LaTeX, HTML, CSV and text
"""
