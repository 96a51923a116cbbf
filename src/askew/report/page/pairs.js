/* The pair viewer. Its data is unpacked when the section is opened, or when a link leads to a pair. */
(() => {
  const { find, all, make, toast, reveal } = askew;
  const WRONG = 0, RIGHT = 1, SHOWN = 200;
  const FILTERS = ["suite", "test", "made_by", "outcome", "model"];
  const SVG = "http://www.w3.org/2000/svg";

  /* The pair or the filters that the address asks for. */
  const asked = () => new URLSearchParams(location.hash.slice(1));

  const unpack = async () => {
    const bytes = Uint8Array.from(atob(find("data").textContent), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };

  const outcome = (answers) => {
    if (!answers) return "absent";
    const { old, new: then } = answers;
    if (old.is > RIGHT || then.is > RIGHT) return "failed";
    if (old.is === RIGHT) return then.is === RIGHT ? "held" : "broke";
    return then.is === RIGHT ? "fixed" : "stayed";
  };

  const viewer = (data) => {
    const state = { shown: [], at: 0, by: null, listed: 0 };
    const several = data.models.length > 1;
    const names = { test: "test", made_by: "rule", question_type: "question type", answer_type: "answer type", answer: "people’s answer", changed: "new word", word: "word" };
    for (const pair of data.pairs) {
      pair.outcomes = pair.models.map(outcome);
      pair.broken = pair.outcomes.filter((one) => one === "broke").length;
      const replies = pair.models.flatMap((answers) => (answers ? [answers.old.answer, answers.new.answer] : []));
      const texts = [pair.old, pair.new].flatMap((side) => [side.text.map(([text]) => text).join(""), side.context, ...side.people.map(([text]) => text)]);
      pair.haystack = [...texts, ...replies, pair.test, pair.made_by, pair.key].join("\n").toLowerCase();
    }
    data.pairs.sort((a, b) => b.broken - a.broken);

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
    const signs = (pair) => data.order.map((n) => pair.models[n]).map((a) => (a ? `${sign(a.old.is)}→${sign(a.new.is)}` : "·")).join("  ");
    const whole = (side) => side.text.map(([text]) => text).join("");
    const optionName = (select) => (value) => { const option = all("option", find(select)).find((one) => one.value === value); return option ? option.textContent : value; };
    const [testName, suiteName] = ["by-test", "by-suite"].map(optionName);

    const item = (pair, number) => {
      const button = make("button", { type: "button", tabindex: "-1" }, whole(pair.new), make("small", {}, `${signs(pair)}  ${testName(pair.test)}`));
      button.addEventListener("click", () => show(number));
      return make("li", {}, button);
    };
    /* The list grows as it is needed: thousands of pairs would take seconds to draw. */
    const list = (least) => {
      const upTo = Math.min(state.shown.length, Math.max(state.listed + SHOWN, least));
      const added = state.shown.slice(state.listed, upTo).map((pair, place) => item(pair, state.listed + place));
      find("list").append(...added);
      state.listed = upTo;
    };

    const refresh = (keep) => {
      state.shown = data.pairs.filter(matches);
      state.at = Math.max(0, state.shown.findIndex((pair) => pair.key === keep));
      state.listed = 0;
      find("list").replaceChildren();
      list(state.at + 1);
      show(state.at, true);
      const by = state.by;
      find("chip").hidden = !by;
      if (by) {
        const close = make("button", { type: "button", "aria-label": "Remove this filter" }, "✕");
        close.addEventListener("click", () => { state.by = null; refresh(current()); });
        find("chip").replaceChildren(`${names[by.name] || by.name}: ${by.name === "test" ? testName(by.value) : by.value}`, close);
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
        find("pair").replaceChildren(make("p", { class: "empty" }, "No pair in the sample matches these filters."));
        return;
      }
      state.at = number;
      if (number >= state.listed) list(number + 1);
      const box = find("list");
      for (const marked of box.querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
      const button = box.children[number].firstChild;
      button.setAttribute("aria-current", "true");
      const [top, bottom] = [button.offsetTop - box.offsetTop, button.offsetTop - box.offsetTop + button.offsetHeight];
      if (top < box.scrollTop) box.scrollTop = top;
      else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
      find("pair").replaceChildren(...render(pair));
      if (!quiet) history.replaceState(null, "", `#pair=${encodeURIComponent(pair.key)}`);
    };

    const render = (pair) => {
      const link = make("a", { href: `#pair=${encodeURIComponent(pair.key)}` }, "Link to this pair");
      const suite = make("a", { href: `#suite-${pair.suite}` }, suiteName(pair.suite));
      const where = [pair.data, suite, testName(pair.test), pair.made_by, pair.question_type].filter(Boolean);
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
      const expected = {
        same: "The answer should stay the same.",
        abstain: "The reply should say that this cannot be answered.",
        different: "The answer should change.",
        noise: "The answer should stay the same, noise or not.",
        given: most ? `The answer should be “${most}”.` : "The variant has its own answer.",
      };
      return expected[pair.expect] || "";
    };

    const question = (title, side, tag) => make("div", { class: "question" },
      make("h3", {}, title),
      side.context ? make("p", { class: "context" }, `Context: ${side.context}`) : null,
      make("p", {}, ...side.text.map(([text, changed]) => (changed ? marked(tag, text) : text))),
      people(side.people));

    const marked = (tag, text) => {
      const gap = text.length - text.trimStart().length;
      const piece = document.createDocumentFragment();
      piece.append(text.slice(0, gap), make(tag, {}, text.slice(gap)));
      return piece;
    };

    /* What people answered: one labelled bar for each answer, the five most frequent. */
    const people = (counts) => {
      if (!counts.length) return null;
      const total = counts.reduce((sum, [, n]) => sum + n, 0);
      if (counts.length === 1) return make("p", { class: "people-all" }, `Expected: “${counts[0][0]}”` + (total > 1 ? `, as all ${total} people answered` : ""));
      const rows = counts.slice(0, 5).map(([answer, n]) => {
        const bar = make("span", { class: "people-bar", "aria-hidden": "true" }, make("span", {}));
        bar.firstChild.style.width = `${(100 * n) / total}%`;
        return make("li", {}, make("span", { class: "people-answer" }, answer), bar, make("span", {}, `${n} of ${total}`));
      });
      if (counts.length > 5) rows.push(make("li", {}, `and ${counts.length - 5} other answers`));
      return make("ul", { class: "people", "aria-label": "What people answered" }, ...rows);
    };

    const shots = (pair) => {
      const column = make("div", { class: "shots" });
      pair.images.forEach((number, index) => column.append(shot(pair, number, pair.captions[index], index === 0)));
      if (pair.boxes.length && pair.images.some((number) => number !== null)) {
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
        figure.append(make("div", { class: "nothing" }, pair.image === null || pair.image === undefined ? "no image" : `image ${pair.image} is not on this page`));
      } else {
        const image = make("img", { alt: caption || "The image the question is about", src: `data:image/jpeg;base64,${data.images[number]}` });
        figure.append(make("div", { class: "frame" }, image, boxed && pair.boxes.length ? boxes(pair) : null));
      }
      if (caption) figure.append(make("figcaption", {}, caption));
      return figure;
    };

    const mark = (number) => {
      const svg = document.createElementNS(SVG, "svg");
      const use = document.createElementNS(SVG, "use");
      const shapes = document.querySelectorAll(".defs path").length;
      const shape = (number + Math.floor(number / shapes)) % shapes;
      for (const [key, value] of Object.entries({ class: `mark tone${number % shapes}`, width: 16, height: 16, "aria-hidden": "true" })) svg.setAttribute(key, value);
      for (const [key, value] of Object.entries({ href: `#shape${shape}`, x: 8, y: 8, class: "full" })) use.setAttribute(key, value);
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
      const reply = (one) => {
        if (!one) return make("td", { class: "failed" }, "not asked");
        const kind = one.is === RIGHT ? ["right", "✓", "correct"] : one.is === WRONG ? ["wrong", "✗", "wrong"] : ["failed", "–", "no answer"];
        const partly = one.accuracy > 0 && one.accuracy < 1 ? ` (${Math.round(100 * one.accuracy)} %)` : "";
        return make("td", { class: kind[0] }, make("b", {}, kind[1]), make("span", {}, one.answer === undefined ? one.error : one.answer || "(empty)"), make("small", {}, kind[2] + partly));
      };
      const words = { held: "stayed correct", broke: "correct → wrong", fixed: "wrong → correct", stayed: "stayed wrong", failed: "no answer", absent: "not asked" };
      const rows = data.order.map((number) => [pair.models[number], number]).map(([one, number]) => make("tr", {}, make("th", { scope: "row" }, several ? mark(number) : null, make("a", { href: `#model-${number}` }, data.models[number])), reply(one && one.old), reply(one && one.new), make("td", {}, words[pair.outcomes[number]])));
      const head = ["Model", "Answer to the original", "Answer to the variant", "Outcome"].map((text) => make("th", { scope: "col" }, text));
      return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Answers of the models" }, make("table", { class: "answers" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
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

    /* Keep the list and the pair visible while the reader types. */
    const inView = () => {
      const box = find("list").getBoundingClientRect();
      if (box.top < 0 || box.top > innerHeight - 160) find("viewer").scrollIntoView({ behavior: "instant" });
    };

    const follow = () => {
      const query = asked();
      if (query.has("pair")) {
        const key = query.get("pair");
        if (!data.pairs.some((pair) => pair.key === key)) {
          toast(`Pair ${key} is not in the sample on this page`);
          return false;
        }
        if (current() === key) return true;
        if (!state.shown.some((pair) => pair.key === key)) reset();
        refresh(key);
        return true;
      }
      reset();
      for (const name of FILTERS) if (query.has(name) && find(`by-${name}`)) find(`by-${name}`).value = query.get(name);
      if (query.has("by")) state.by = { name: query.get("by"), value: query.get("value") };
      refresh();
      return true;
    };

    find("filters").addEventListener("submit", (event) => event.preventDefault());
    find("filters").addEventListener("change", () => refresh(current()));
    find("search").addEventListener("input", () => { refresh(current()); inView(); });
    find("clear").addEventListener("click", () => { reset(); refresh(current()); });
    find("previous").addEventListener("click", () => move(-1));
    find("next").addEventListener("click", () => move(1));
    find("list").addEventListener("scroll", () => {
      const box = find("list");
      if (state.listed < state.shown.length && box.scrollTop + 2 * box.clientHeight > box.scrollHeight) list(0);
    });
    find("list").addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      move(step);
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !find("viewer").closest("details").open) return;
      const typing = event.target.closest("input, select, textarea");
      if (event.key === "Escape") {
        if (find("search").value || state.by) { find("search").value = ""; state.by = null; refresh(current()); }
        if (typing) typing.blur();
      } else if (!typing && (event.key === "j" || event.key === "k")) {
        move(event.key === "j" ? 1 : -1);
      } else if (!typing && (event.key === "ArrowRight" || event.key === "ArrowLeft") && !event.target.closest(".scroll, pre")) {
        move(event.key === "ArrowRight" ? 1 : -1);
      }
    });
    refresh();
    return { follow };
  };

  const start = () => {
    const chapter = find("pairs").closest("details");
    let ready = null;
    const open = () => {
      if (!ready) {
        ready = unpack().then(viewer);
        ready.then(() => { find("viewer").removeAttribute("aria-busy"); }, () => {
          find("count").textContent = "This browser cannot unpack the pairs: it has no DecompressionStream (Chrome 80, Firefox 113, Safari 16.4 have it).";
        });
      }
      return ready;
    };
    const follow = () => {
      if (!["pair", "by", ...FILTERS].some((name) => asked().has(name))) return;
      open().then((one) => { if (one.follow()) reveal(find("viewer")); });
    };
    chapter.addEventListener("toggle", () => { if (chapter.open) open(); });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
      event.preventDefault();
      open().then(() => { reveal(find("viewer")); find("search").focus({ preventScroll: true }); });
    });
    window.addEventListener("hashchange", follow);
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (link && link.hash === location.hash) follow();  /* the same link again: the hash does not change */
    });
    if (chapter.open) open();
    follow();
  };

  askew.start();
  if (find("viewer")) start();
})();
