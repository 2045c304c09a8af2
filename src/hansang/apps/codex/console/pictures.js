// Pictures are sent to our own store while one goes on writing; each says how far it is, and why it was refused.

const STORE = "/api/codex/pictures";
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

// What a picture shows, as far as the name of its file says; nothing in it can be Markdown.
export function altOf(name) {
  return name
    .replace(/\.[^.]*$/, "")
    .replace(/[\[\]()<>`*_!\\\s]+/g, " ")
    .trim();
}

function send(file, token, tell) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("POST", STORE);
    request.responseType = "json";
    request.setRequestHeader("X-CSRF-Token", token);
    request.setRequestHeader("Accept-Language", document.documentElement.lang);
    request.upload.addEventListener("progress", (event) => event.lengthComputable && tell(event.loaded / event.total));
    request.addEventListener("load", () => resolve(request.response ?? {}));
    request.addEventListener("error", () => resolve({}));
    request.send(file);
  });
}

function line(list, name) {
  const row = document.createElement("li");
  const label = document.createElement("span");
  const bar = document.createElement("progress");
  label.textContent = name;
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", name);
  row.append(label, bar);
  list.append(row);
  return { row, bar };
}

function refuse({ row, bar }, list, why) {
  const said = document.createElement("b");
  const close = document.createElement("button");
  said.textContent = why;
  close.type = "button";
  close.className = "btn sm";
  close.textContent = list.dataset.close;
  close.addEventListener("click", () => row.remove());
  row.classList.add("refused");
  bar.replaceWith(said, close);
}

// Sends files one after another; `done` gets the address of each that is kept, and its file.
async function sendAll(files, list, token, done) {
  for (const file of files) {
    const shown = line(list, file.name);
    const answer = await send(file, token, (part) => (shown.bar.value = part));
    if (answer.address) {
      shown.row.remove();
      done(answer.address, file);
    } else refuse(shown, list, answer.detail ?? list.dataset.failed);
  }
}

// Whatever is pasted, dropped or chosen as a file here is sent; words that are pasted stay words.
export function takePictures(place, chooser, list, token, done) {
  const take = (files) => sendAll([...files], list, token, done);
  place.addEventListener("paste", (event) => {
    const files = event.clipboardData?.files ?? [];
    if (!files.length) return;
    event.preventDefault();
    take(files);
  });
  place.addEventListener("dragover", (event) => {
    if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
    event.preventDefault();
    place.classList.add("dropping");
  });
  place.addEventListener("dragleave", () => place.classList.remove("dropping"));
  place.addEventListener("drop", (event) => {
    place.classList.remove("dropping");
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    take(event.dataTransfer.files);
  });
  chooser.accept = TYPES.join(",");
  chooser.addEventListener("change", () => {
    take(chooser.files).then(() => (chooser.value = ""));
  });
}
