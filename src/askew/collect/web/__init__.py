"""The collection service in a browser: server-rendered pages over the protocol in ``askew.collect``.

``app.py`` puts the pages together; each file in ``pages/`` holds one group of them and ends with its table of routes.
"""
