"use strict";
// The page works without this: it adds dropping an image, a key, and a word while a model is asked.
const question = document.getElementById("question");
const upload = document.getElementById("upload");
const ask = document.getElementById("ask");

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "/" && !typing && question) {
    event.preventDefault();
    question.focus();
    question.select();
  }
});

if (ask) {
  ask.addEventListener("submit", () => {
    ask.querySelector(".busy").hidden = false;
    ask.querySelector("button.first").disabled = true;
  });
  window.addEventListener("pageshow", () => {
    ask.querySelector(".busy").hidden = true;
    ask.querySelector("button.first").disabled = false;
  });
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
