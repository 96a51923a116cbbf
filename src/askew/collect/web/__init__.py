"""The collection service in a browser: server-rendered pages for the protocol in ``askew.collect``.

``app.py`` combines the pages; each file in ``pages/`` has one group of them and ends with its table of routes.
"""
