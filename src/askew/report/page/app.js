"use strict";
/* Shared by all parts of the page; pairs.js follows in the same script. */
const askew = (() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const find = (id) => document.getElementById(id);
  const all = (query, within = document) => [...within.querySelectorAll(query)];

  /* Elements are built from text only; nothing from the data is ever read as HTML. */
  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };

  const toast = (text) => {
    const box = find("toast");
    box.textContent = text;
    box.hidden = false;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => { box.hidden = true; }, 1800);
  };

  const copy = async (text, message) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    toast(message);
  };

  /* Closed panels are kept as text until they are opened: as tens of thousands of elements they would take seconds.
     The text is part of the page, and as escaped as the rest of it. */
  const unfold = (panel) => {
    const folded = panel.querySelector(":scope > noscript");
    if (!folded) return;
    folded.outerHTML = folded.textContent;
    prepare(panel);
  };
  document.addEventListener("toggle", (event) => { if (event.target.open) unfold(event.target); }, true);

  /* Open every closed section around an element, and scroll to it. */
  const reveal = (element) => {
    for (let above = element; above; above = above.parentElement) if (above.tagName === "DETAILS") { above.open = true; unfold(above); }
    const chapter = element.closest("details.chapter");
    (chapter && element === chapter.lastElementChild ? chapter : element).scrollIntoView({ behavior: "instant" });
  };

  const themes = () => {
    const button = find("theme");
    const names = { auto: "◐ Auto", light: "○ Light", dark: "● Dark" };
    const show = (theme) => {
      if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
      button.textContent = names[theme];
      button.setAttribute("aria-label", `Colours: ${theme === "auto" ? "automatic" : theme}`);
    };
    let theme = "auto";
    try { theme = localStorage.getItem("askew-theme") || "auto"; } catch { /* a page from disk may have no storage */ }
    if (!(theme in names)) theme = "auto";
    show(theme);
    button.addEventListener("click", () => {
      const order = Object.keys(names);
      theme = order[(order.indexOf(theme) + 1) % order.length];
      show(theme);
      try { localStorage.setItem("askew-theme", theme); } catch { /* as above */ }
    });
  };

  const tables = () => {
    for (const radio of all("input[name=show]")) radio.addEventListener("change", () => { find("suites").dataset.show = radio.value; });
    document.addEventListener("click", (event) => {
      const button = event.target.closest(".copy, .copy-table, .sort");
      if (!button) return;
      const name = button.textContent.replace("Copy ", "");
      if (button.matches(".sort")) sort(button.closest("th"));
      else if (button.matches(".copy")) copy(button.parentElement.querySelector("pre").textContent, `${name} copied`);
      else copy(kinds[name](cellsOf(button.parentElement.previousElementSibling.querySelector("table"))), `${name} copied`);
    });
  };

  /* What a part of the page needs once it is there: its tables can be copied. */
  const prepare = (part) => {
    for (const box of all(".scroll", part)) if (!box.closest(".sheet") && box.querySelector("table")) box.after(copies());
  };

  const sort = (heading) => {
    const table = heading.closest("table");
    const column = heading.cellIndex;
    const first = column === 0 ? "ascending" : "descending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = heading.getAttribute("aria-sort") === first ? other : first;
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const value = (row) => row.cells[column].dataset.sort;
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      return sign * (column === 0 ? x.localeCompare(y) : Number(x) - Number(y));
    };
    for (const body of table.tBodies) body.append(...all("tr:not(.apart)", body).sort(compare));
  };

  /* Tables without sources of their own are copied from their cells: the value, and the text below it. */
  const copies = () => make("div", { class: "copies" }, ...Object.keys(kinds).map((name) => make("button", { type: "button", class: "copy-table" }, `Copy ${name}`)));
  const cellsOf = (table) => all("tr", table).map((row) => [...row.cells].flatMap((cell) => {
    const bare = cell.cloneNode(true);
    const below = all("small", bare).map((small) => { small.remove(); return tidy(small.textContent); }).filter(Boolean);
    for (const drawn of all("svg", bare)) drawn.remove();
    const empty = Array.from({ length: cell.colSpan - 1 }, () => ({ text: "", below: "" }));
    return [{ text: tidy(bare.textContent), below: below.join("; ") }, ...empty];
  }));
  const tidy = (text) => text.replace(/\s+/g, " ").trim();
  const joined = ({ text, below }) => (below && text ? `${text} (${below})` : text || below);
  const asCsv = (rows) => {
    const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const safe = (text) => (/^[=+@\t]/.test(text) ? `'${text}` : text.replaceAll("−", "-"));
    const detailed = rows[0].map((_, column) => rows.some((row) => row[column] && row[column].below));
    const line = (row) => row.flatMap(({ text, below }, column) => (detailed[column] ? [text, below] : [text]));
    return rows.map((row) => line(row).map((text) => quoted(safe(text))).join(",")).join("\n") + "\n";
  };
  const asMarkdown = (rows) => {
    const line = (row) => `| ${row.map((cell) => joined(cell).replace(/([\\`*_[\]<>|#~$])/g, "\\$1")).join(" | ")} |`;
    return [line(rows[0]), `|${rows[0].map(() => " --- |").join("")}`, ...rows.slice(1).map(line)].join("\n") + "\n";
  };
  const asLatex = (rows) => {
    const signs = { "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "←": "$\\leftarrow$", "→": "$\\rightarrow$", "′": "$'$", "−": "$-$", "–": "--", "—": "---", "★": "$\\star$", "Δ": "$\\Delta$", "μ": "$\\mu$", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", "·": "$\\cdot$", "↓": "$\\downarrow$" };
    const safe = (text) => [...text].map((sign) => signs[sign] || (/[%_&#$]/.test(sign) ? `\\${sign}` : sign)).join("");
    const line = (row) => `${row.map((cell) => safe(joined(cell))).join(" & ")} \\\\`;
    const body = [line(rows[0]), "\\midrule", ...rows.slice(1).map(line)];
    return [`\\begin{tabular}{l${"r".repeat(rows[0].length - 1)}}`, "\\toprule", ...body, "\\bottomrule", "\\end{tabular}"].join("\n") + "\n";
  };

  const kinds = { CSV: asCsv, LaTeX: asLatex, Markdown: asMarkdown };

  /* Explanations stay inside the window, and Escape closes them. */
  const terms = () => {
    const place = (event) => {
      const word = event.target.closest && event.target.closest(".term");
      if (!word) return;
      const box = word.getBoundingClientRect();
      root.style.setProperty("--says-x", `${Math.max(8, Math.min(box.left, root.clientWidth - 340))}px`);
      root.style.setProperty("--says-y", `${box.bottom + 4 > innerHeight - 90 ? Math.max(4, box.top - 90) : box.bottom + 4}px`);
    };
    for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, place);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && document.activeElement.matches(".term")) document.activeElement.blur();
    });
  };

  /* Mark boxes that are wider than the screen; those that nobody sees would have to be laid out to be measured. */
  const hints = () => {
    const measure = () => {
      for (const box of all(".scroll")) if (!box.closest("details:not([open])")) box.classList.toggle("wider", box.scrollWidth > box.clientWidth + 1);
    };
    new ResizeObserver(measure).observe(document.body);
    document.addEventListener("toggle", measure, true);
  };

  const chapters = () => {
    const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
    for (const [name, link] of links) link.addEventListener("click", (event) => {
      event.preventDefault();
      history.replaceState(null, "", `#${name}`);
      reveal(find(name));
    });
    const parts = new Map([...links.keys()].map((name) => [find(name).closest("details.chapter") || find(name), links.get(name)]));
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.classList.remove("here");
        parts.get(entry.target).classList.add("here");
      }
    }, { rootMargin: "-20% 0px -75% 0px" });
    for (const one of parts.keys()) watch.observe(one);
    const follow = () => { const target = find(location.hash.slice(1)); if (target) reveal(target); };
    window.addEventListener("hashchange", follow);
    follow();
  };

  return { find, all, make, toast, reveal, start: () => { themes(); tables(); prepare(document); terms(); chapters(); hints(); } };
})();
