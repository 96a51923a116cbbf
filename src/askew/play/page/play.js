"use strict";
// The page works without this: it adds dropping an image, a key, and a word while a model is asked.
const question = document.getElementById("question");
const upload = document.getElementById("upload");

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "/" && !typing && question) {
    event.preventDefault();
    question.focus();
    question.select();
  }
});

for (const form of document.querySelectorAll("#ask, .attack")) {
  const busy = (is) => {
    form.querySelector(".busy").hidden = !is;
    form.querySelector("button").disabled = is;
  };
  form.addEventListener("submit", () => busy(true));
  window.addEventListener("pageshow", () => busy(false));
}

if (upload) {
  const file = upload.querySelector("input[type=file]");
  file.addEventListener("change", () => file.files.length && upload.requestSubmit());
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    document.addEventListener(name, () => document.body.classList.remove("dropping"));
  }
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) {
      file.files = event.dataTransfer.files;
      upload.requestSubmit();
    }
  });
}

if (location.hash === "#answer") {
  document.getElementById("answer")?.focus();
}
