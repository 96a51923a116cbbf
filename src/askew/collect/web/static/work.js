// Optional extras for pages that work without JavaScript: drafts, pending state, live count, lease clock, shortcuts.
// Drafts are stored in this browser, by person, and deleted after a week.

const person = document.body.dataset.person || "";
const prefix = `askew:${person}:`;
const all = (selector) => Array.from(document.querySelectorAll(selector));
const one = (selector) => document.querySelector(selector);

const store = {
  get(key) { try { return localStorage.getItem(prefix + key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(prefix + key, value); } catch { /* full or off: nothing to do */ } },
  remove(key) { try { localStorage.removeItem(prefix + key); } catch { /* off */ } },
  keys() {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    } catch { return []; }
  },
};

function keepDrafts() {
  const fields = all("[data-draft]");
  for (const field of fields) {
    const key = `draft:${field.dataset.draft}`;
    const kept = store.get(key);
    if (kept && !field.value) field.value = JSON.parse(kept).text;
    field.addEventListener("input", () => {
      if (field.value) store.set(key, JSON.stringify({ text: field.value, at: Date.now() }));
      else store.remove(key);
    });
  }
  forgetOldDrafts(new Set(fields.map((field) => `draft:${field.dataset.draft}`)));
}

function forgetOldDrafts(present) {
  const week = 7 * 24 * 3600 * 1000;
  for (const key of store.keys()) {
    if (!key.startsWith("draft:") || present.has(key)) continue;
    let at = 0;
    try { at = JSON.parse(store.get(key)).at; } catch { /* not ours */ }
    if (!(Date.now() - at < week)) store.remove(key);
  }
}

function countCharacters() {
  for (const field of all("[data-count]")) {
    const place = document.getElementById(field.dataset.count);
    const show = () => {
      const used = Array.from(field.value).length;
      place.textContent = `${used} of ${field.maxLength} characters.`;
      place.classList.toggle("over", used > field.maxLength);
    };
    field.addEventListener("input", show);
    show();
  }
}

function showPending() {
  for (const form of all("form[method=post]")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) {
        event.preventDefault();
        return;
      }
      form.dataset.sent = "yes";
      const button = event.submitter;
      const text = form.dataset.pending;
      if (button) button.setAttribute("aria-disabled", "true");
      if (text && button && !button.hasAttribute("formaction")) {
        button.dataset.text = button.textContent;
        button.textContent = text;
        const place = form.querySelector(".pending");
        if (place) place.textContent = text;
      }
    });
  }
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const form of all("form[data-sent]")) delete form.dataset.sent;
    for (const button of all("[aria-disabled]")) button.removeAttribute("aria-disabled");
    for (const button of all("[data-text]")) button.textContent = button.dataset.text;
    for (const place of all(".pending")) place.textContent = "";
  });
}

function runLeaseClock() {
  const lease = one(".lease");
  if (!lease) return;
  const end = performance.now() + Number(lease.dataset.until);
  const clock = lease.querySelector(".lease-clock");
  const text = lease.querySelector(".lease-text");
  const warning = lease.querySelector(".lease-warning");
  const tick = () => {
    const left = Math.max(0, Math.round((end - performance.now()) / 1000));
    if (left === 0) {
      text.textContent = "Your time is up. You can still continue unless this has been given to somebody else.";
      warning.hidden = true;
      return;
    }
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    warning.hidden = left > 60;
    setTimeout(tick, 1000);
  };
  tick();
}

function poll() {
  const link = one("[data-poll]");
  if (link) setTimeout(() => location.replace(link.href), 1500);
}

function zoomByClick() {
  const box = one("#zoom");
  const image = one(".frame img");
  if (box && image) image.addEventListener("click", () => { box.checked = !box.checked; });
}

function offerShortcuts() {
  const box = one("#keys");
  if (!box) return;
  box.closest(".needs-script").hidden = false;
  const show = () => {
    document.body.classList.toggle("shortcuts", box.checked);
    one(".keys-help").hidden = !box.checked;
  };
  box.checked = store.get("keys") === "on";
  box.addEventListener("change", () => { store.set("keys", box.checked ? "on" : "off"); show(); });
  show();
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input:not([type=radio], [type=checkbox]), textarea, select");
    if (!box.checked || typing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (press(event.key)) event.preventDefault();
  });
}

function press(key) {
  const radios = all("#work input[name=verdict]").concat(all("#work input[name=confidence]"));
  const group = radios.filter((radio) => radio.name === radios[0].name);
  const field = one("#question") || one("#answer");
  if ("123".includes(key) && group.length === 3) {
    group[Number(key) - 1].click();
    group[Number(key) - 1].focus();
  } else if (key === "i" && field) field.focus();
  else if (key === "z" && one("#zoom")) one("#zoom").click();
  else if (key === "?") location.assign(one('nav a[href$="/instructions"]').href);
  else return false;
  return true;
}

for (const part of [keepDrafts, countCharacters, showPending, runLeaseClock, poll, zoomByClick, offerShortcuts]) part();
