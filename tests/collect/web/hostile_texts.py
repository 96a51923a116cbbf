"""Texts that break careless programs: markup, SQL, templates, formulas, paths, odd characters. More than 500."""

from __future__ import annotations

from itertools import product


def hostile_texts() -> list[str]:
    """Distinct texts of 1 to 120 characters without NUL or spaces at their ends, each with a word in it."""
    markup = [
        "<script>window.evil={n}</script>",
        "<img src=x onerror=window.evil={n}>",
        "<svg/onload=window.evil={n}>",
        "</p><script>window.evil={n}</script>",
        '"><script>window.evil={n}</script>',
        "' onmouseover='window.evil={n}' x='",
        '" autofocus onfocus="window.evil={n}',
        "</textarea><script>window.evil={n}</script>",
        "</title><script>window.evil={n}</script>",
        "<!-- {n} --><script>window.evil=1</script>",
        "javascript:window.evil={n}",
        "<a href=javascript:window.evil={n}>x</a>",
        "<iframe srcdoc='<script>parent.evil={n}</script>'>",
        "<base href=//evil.example/{n}>",
        "<meta http-equiv=refresh content=0;url=//evil.example/{n}>",
        "<form action=//evil.example/{n}><button>go",
        "<style>*{{display:none}}</style>{n}",
        "&lt;script&gt;{n}&amp;",
        "&#60;script&#62;evil{n}",
        "<![CDATA[{n}]]>",
    ]
    sql = [
        "'; DROP TABLE question; -- {n}",
        "' OR '1'='1' -- {n}",
        '" OR ""="{n}',
        "1; UPDATE annotator SET role='owner' -- {n}",
        "x' UNION SELECT password_hash FROM annotator -- {n}",
        "%' OR 1=1 -- {n}",
        "\\'; DELETE FROM login; -- {n}",
        "$$; select pg_sleep({n}); $$",
        ":name {n} ?",
        "%s %(x)s {n}",
    ]
    templates = [
        "{{{{7*{n}}}}}",
        "{{% include 'base.html' %}}{n}",
        "${{7*{n}}}",
        "#{{{n}}}",
        "<%= {n} %>",
        "{{{{config}}}} {n}",
        "{n}{{0.__class__}}",
    ]
    formulas = [
        "=1+{n}",
        "+{n}+cmd|' /C calc'!A0",
        "-{n}",
        "@SUM({n})",
        '=HYPERLINK("//evil.example/{n}")',
        "\t={n}x",
        "|{n}|",
    ]
    paths = [
        "../../etc/passwd {n}",
        "..\\..\\{n}",
        "file:///etc/passwd?{n}",
        "http://169.254.169.254/{n}",
        "//evil.example/{n}",
        "{n}%00.png",
        "%2e%2e%2f{n}",
    ]
    odd = [
        "\u202etfel ot thgir {n}",
        "\u2066isolate\u2069 {n}",
        "z\u0351\u0334a\u0360\u0489l\u0323\u0347g\u0338o {n}",
        "\u200bzero{n}\u200bwidth",
        "\ufefffirst {n}",
        "fullwidth \uff1cscript\uff1e {n}",
        "emoji \U0001f469\u200d\U0001f469\u200d\U0001f467 {n}",
        "\u0645\u0631\u062d\u0628\u0627 {n}",
        "\u4f60\u597d {n}",
        "line\u2028separator {n}",
        "tab\tand\x0bmore {n}",
        "two\r\nlines {n}",
        "\x1b[31mred {n}\x1b[0m",
        "\x7fdelete {n}",
        "backslash \\ {n} \\u003cscript\\u003e",
        "null NULL None undefined {n}",
        "True False {n}",
        "1e309 {n} NaN",
        "a" * 100 + " {n}",
    ]
    shapes = markup + sql + templates + formulas + paths + odd
    texts = [shape.format(n=f"x{n}y{i}") for n, (i, shape) in product(range(8), enumerate(shapes))]
    return [text for text in dict.fromkeys(texts) if text == text.strip() and 1 <= len(text) <= 120]
