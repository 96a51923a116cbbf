"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  root.classList.add("scripted");
  const find = (id) => document.getElementById(id);
  const WRONG = 0, RIGHT = 1;
  const SVG = "http://www.w3.org/2000/svg";

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

  const copy = async (text, said) => {
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
    toast(said);
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
    for (const radio of document.querySelectorAll("input[name=show]")) {
      radio.addEventListener("change", () => { find("tables").dataset.show = radio.value; });
    }
    for (const button of document.querySelectorAll(".copy")) {
      const text = button.parentElement.querySelector("pre").textContent;
      button.addEventListener("click", () => copy(text, `${button.textContent.replace("Copy ", "")} copied`));
    }
    for (const button of document.querySelectorAll(".sort")) button.addEventListener("click", () => sort(button.closest("th")));
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
    for (const body of table.tBodies) body.append(...[...body.querySelectorAll("tr:not(.apart)")].sort(compare));
  };

  const outcome = (answers) => {
    if (!answers) return "absent";
    const { old, new: then } = answers;
    if (old.is > RIGHT || then.is > RIGHT) return "failed";
    if (old.is === RIGHT) return then.is === RIGHT ? "held" : "broke";
    return then.is === RIGHT ? "fixed" : "stayed";
  };

  const viewer = () => {
    const state = { shown: [], at: 0, by: null };
    const several = data.models.length > 1;
    const names = { test: "test", made_by: "rule", question_type: "question type", answer_type: "answer type", answer: "people’s answer", changed: "new word", word: "word" };
    for (const pair of data.pairs) {
      pair.outcomes = pair.models.map(outcome);
      const said = pair.models.flatMap((answers) => (answers ? [answers.old.answer, answers.new.answer] : []));
      const texts = [pair.old, pair.new].flatMap((side) => [side.text.map(([text]) => text).join(""), side.context, ...side.people.map(([text]) => text)]);
      pair.haystack = [...texts, ...said, pair.test, pair.made_by, pair.key].join("\n").toLowerCase();
    }

    const chosen = (name) => (find(`by-${name}`) ? find(`by-${name}`).value : "");
    const matches = (pair) => {
      for (const name of ["suite", "test", "made_by"]) if (chosen(name) && pair[name] !== chosen(name)) return false;
      if (state.by) {
        const value = pair[state.by.name];
        if (Array.isArray(value) ? !value.includes(state.by.value) : value !== state.by.value) return false;
      }
      const wanted = chosen("outcome");
      const outcomes = chosen("model") === "" ? pair.outcomes : [pair.outcomes[Number(chosen("model"))]];
      if (wanted === "disagree") {
        if (new Set(pair.outcomes.filter((name) => name !== "absent")).size < 2) return false;
      } else if (wanted && !outcomes.includes(wanted)) return false;
      const needle = find("search").value.trim().toLowerCase();
      return !needle || needle.split(/\s+/).every((word) => pair.haystack.includes(word));
    };

    const sign = (is) => (is === RIGHT ? "✓" : is === WRONG ? "✗" : "–");
    const signs = (pair) => pair.models.map((a) => (a ? `${sign(a.old.is)}→${sign(a.new.is)}` : "·")).join("  ");
    const whole = (side) => side.text.map(([text]) => text).join("");

    const refresh = (keep) => {
      state.shown = data.pairs.filter(matches);
      state.at = Math.max(0, state.shown.findIndex((pair) => pair.key === keep));
      find("list").replaceChildren(...state.shown.map((pair, number) => {
        const button = make("button", { type: "button", tabindex: "-1" }, whole(pair.new), make("small", {}, `${signs(pair)}  ${pair.test}`));
        button.addEventListener("click", () => show(number));
        return make("li", {}, button);
      }));
      show(state.at, true);
      const by = state.by;
      find("chip").hidden = !by;
      if (by) {
        const close = make("button", { type: "button", "aria-label": "Drop this filter" }, "✕");
        close.addEventListener("click", () => { state.by = null; refresh(current()); });
        find("chip").replaceChildren(`${names[by.name] || by.name}: ${by.value}`, close);
      }
    };
    const current = () => (state.shown[state.at] || {}).key;

    const show = (number, quiet) => {
      const pair = state.shown[number];
      const total = data.pairs.length;
      find("count").textContent = pair ? `${number + 1} of ${state.shown.length}` + (state.shown.length < total ? ` (filtered from ${total})` : "") : `none of ${total}`;
      find("previous").disabled = !pair || number === 0;
      find("next").disabled = !pair || number === state.shown.length - 1;
      if (!pair) {
        find("pair").replaceChildren(make("p", { class: "empty" }, "No pair of the sample passes these filters."));
        return;
      }
      state.at = number;
      const list = find("list");
      for (const marked of list.querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
      const button = list.children[number].firstChild;
      button.setAttribute("aria-current", "true");
      const [top, bottom] = [button.offsetTop - list.offsetTop, button.offsetTop - list.offsetTop + button.offsetHeight];
      if (top < list.scrollTop) list.scrollTop = top;
      else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
      find("pair").replaceChildren(...render(pair));
      if (!quiet) history.replaceState(null, "", `#pair=${encodeURIComponent(pair.key)}`);
    };

    const render = (pair) => {
      const link = make("a", { href: `#pair=${encodeURIComponent(pair.key)}` }, "Permalink");
      const where = [pair.data, pair.suite, pair.test, pair.made_by, pair.question_type].filter(Boolean);
      const note = pair.note.map(([name, value]) => `${name}: ${value}`).join(" · ");
      return [
        make("p", { class: "eyebrow" }, ...where.map((text) => make("span", {}, text)), link),
        make("div", { class: "asked" }, shots(pair), make("div", {},
          question("Original", pair.old, "del"), question("Changed to", pair.new, "ins"),
          make("p", { class: "should" }, should(pair)))),
        answers(pair),
        note ? make("p", { class: "notes" }, note) : null,
      ].filter(Boolean);
    };

    const should = (pair) => {
      const most = pair.new.people.length ? pair.new.people[0][0] : "";
      const said = {
        same: "The answer should stay the same.",
        different: "The answer should change.",
        noise: "The answer should stay the same, noise or not.",
        given: most ? `The answer should be “${most}”.` : "The answer is given with the variant.",
      };
      return said[pair.expect] || "";
    };

    const question = (title, side, tag) => make("div", { class: "question" },
      make("h4", {}, title),
      side.context ? make("p", { class: "context" }, `Said before: ${side.context}`) : null,
      make("p", {}, ...side.text.map(([text, changed]) => (changed ? marked(tag, text) : text))),
      people(side.people));

    const marked = (tag, text) => {
      const gap = text.length - text.trimStart().length;
      const piece = document.createDocumentFragment();
      piece.append(text.slice(0, gap), make(tag, {}, text.slice(gap)));
      return piece;
    };

    const people = (counts) => {
      if (!counts.length) return null;
      const total = counts.reduce((sum, [, n]) => sum + n, 0);
      const label = counts.map(([answer, n]) => `${answer} ${n} of ${total}`).join(", ");
      const bar = make("div", { class: "people", role: "img", "aria-label": `People answered: ${label}`, title: label });
      for (const [answer, n] of counts.slice(0, 8)) {
        const piece = make("span", {}, total > 1 ? `${answer} ×${n}` : answer);
        piece.style.flex = `${n} 1 0`;
        bar.append(piece);
      }
      return bar;
    };

    const shots = (pair) => {
      const column = make("div", { class: "shots" });
      const captions = pair.pictures.length > 1 ? ["Original image", "Changed image"] : [""];
      pair.pictures.forEach((number, index) => column.append(shot(pair, number, captions[index], index === 0)));
      if (pair.boxes.length && pair.pictures.some((number) => number !== null)) {
        const button = make("button", { type: "button", "aria-pressed": "false", id: "boxes" }, "Show boxes");
        button.addEventListener("click", () => {
          const on = button.getAttribute("aria-pressed") !== "true";
          button.setAttribute("aria-pressed", String(on));
          button.textContent = on ? "Hide boxes" : "Show boxes";
          for (const layer of column.querySelectorAll(".boxes")) layer.toggleAttribute("hidden", !on);
        });
        column.append(button);
      }
      return column;
    };

    const shot = (pair, number, caption, boxed) => {
      const figure = make("figure", { class: "shot" });
      if (number === null) {
        figure.append(make("div", { class: "nothing" }, pair.image === null || pair.image === undefined ? "no image" : `image ${pair.image} is not in this page`));
      } else {
        const image = make("img", { alt: caption || "The image the question is about", src: `data:image/jpeg;base64,${data.pictures[number]}` });
        figure.append(make("div", { class: "frame" }, image, boxed && pair.boxes.length ? boxes(pair) : null));
      }
      if (caption) figure.append(make("figcaption", {}, caption));
      return figure;
    };

    const mark = (number) => {
      const svg = document.createElementNS(SVG, "svg");
      const use = document.createElementNS(SVG, "use");
      const kind = number % document.querySelectorAll(".defs path").length;
      for (const [key, value] of Object.entries({ class: `mark tone${kind}`, width: 16, height: 16, "aria-hidden": "true" })) svg.setAttribute(key, value);
      for (const [key, value] of Object.entries({ href: `#shape${kind}`, x: 8, y: 8, class: "full" })) use.setAttribute(key, value);
      svg.append(use);
      return svg;
    };

    const boxes = (pair) => {
      const layer = document.createElementNS(SVG, "svg");
      layer.setAttribute("class", "boxes");
      layer.setAttribute("hidden", "");
      for (const [x, y, width, height, name] of pair.boxes) {
        const place = { x, y, width, height };
        const rect = document.createElementNS(SVG, "rect");
        for (const key of Object.keys(place)) rect.setAttribute(key, `${100 * place[key]}%`);
        const text = document.createElementNS(SVG, "text");
        text.setAttribute("x", `${100 * x + 1}%`);
        text.setAttribute("y", `${100 * y}%`);
        text.setAttribute("dy", "1.1em");
        text.textContent = name;
        layer.append(rect, text);
      }
      return layer;
    };

    const answers = (pair) => {
      const said = (one) => {
        if (!one) return make("td", { class: "failed" }, "not asked");
        const kind = one.is === RIGHT ? ["right", "✓", "right"] : one.is === WRONG ? ["wrong", "✗", "wrong"] : ["failed", "–", "no answer"];
        const partly = one.accuracy > 0 && one.accuracy < 1 ? ` (${Math.round(100 * one.accuracy)} %)` : "";
        return make("td", { class: kind[0] }, make("b", {}, kind[1]), make("span", {}, one.answer === undefined ? one.error : one.answer || "(empty)"), make("small", {}, kind[2] + partly));
      };
      const words = { held: "stayed correct", broke: "correct → wrong", fixed: "wrong → correct", stayed: "stayed wrong", failed: "no answer", absent: "not asked" };
      const rows = pair.models.map((one, number) => make("tr", {}, make("th", { scope: "row" }, several ? mark(number) : null, data.models[number]), said(one && one.old), said(one && one.new), make("td", {}, words[pair.outcomes[number]])));
      const head = ["Model", "Said to the original", "Said to the variant", "Outcome"].map((text) => make("th", { scope: "col" }, text));
      return make("div", { class: "scroll" }, make("table", { class: "answers" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
    };

    const move = (step) => {
      const to = state.at + step;
      if (to >= 0 && to < state.shown.length) show(to);
    };

    const reset = () => {
      for (const select of find("filters").querySelectorAll("select")) select.value = "";
      find("search").value = "";
      state.by = null;
    };

    const follow = () => {
      const query = new URLSearchParams(location.hash.slice(1));
      if (query.has("pair")) {
        const key = query.get("pair");
        if (!data.pairs.some((pair) => pair.key === key)) {
          toast(`Pair ${key} is not in this page’s sample`);
          return false;
        }
        if (current() === key) return true;
        if (!state.shown.some((pair) => pair.key === key)) reset();
        refresh(key);
        return true;
      }
      if (!query.has("by")) return false;
      reset();
      for (const name of ["suite", "outcome", "model"]) if (query.has(name) && find(`by-${name}`)) find(`by-${name}`).value = query.get(name);
      state.by = { name: query.get("by"), value: query.get("value") };
      refresh();
      return true;
    };
    const go = () => { if (follow()) find("pairs").scrollIntoView(); };

    find("filters").addEventListener("submit", (event) => event.preventDefault());
    find("filters").addEventListener("change", () => refresh(current()));
    find("search").addEventListener("input", () => refresh(current()));
    find("clear").addEventListener("click", () => { reset(); refresh(current()); });
    find("previous").addEventListener("click", () => move(-1));
    find("next").addEventListener("click", () => move(1));
    find("list").addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      move(step);
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const typing = event.target.closest("input, select, textarea");
      if (event.key === "Escape") {
        if (find("search").value || state.by) { find("search").value = ""; state.by = null; refresh(current()); }
        if (typing) typing.blur();
      } else if (typing) {
        return;
      } else if (event.key === "/") {
        event.preventDefault();
        find("search").focus();
        find("pairs").scrollIntoView();
      } else if (event.key === "j" || event.key === "k") {
        move(event.key === "j" ? 1 : -1);
      } else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && !event.target.closest(".scroll, pre")) {
        move(event.key === "ArrowRight" ? 1 : -1);
      }
    });
    window.addEventListener("hashchange", go);
    refresh();
    go();
  };

  const sections = () => {
    const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.classList.remove("here");
        links.get(entry.target.id).classList.add("here");
      }
    }, { rootMargin: "-20% 0px -75% 0px" });
    for (const name of links.keys()) watch.observe(find(name));
  };

  const printing = () => {
    let opened = [];
    window.addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll(".panel:not([open]), figure details:not([open])")];
      for (const one of opened) one.open = true;
    });
    window.addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
  };

  themes();
  tables();
  sections();
  printing();
  if (data.pairs.length) viewer();
})();
