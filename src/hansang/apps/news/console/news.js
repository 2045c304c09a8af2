// The news list: choosing a day, and dropping a file to be loaded.

const language = document.documentElement.lang;
const days = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
  year: "numeric",
  month: language === "en" ? "short" : "long",
  day: "numeric",
  timeZone: "UTC",
});

/** A day that is picked is shown at once; one that is typed waits until it is complete. */
function letChooseDay(form) {
  const input = form.querySelector("input[type=date]");
  const shown = form.querySelector("[data-shown]");
  const first = input.value;
  let isTyped = false;
  const send = () => {
    if (input.value !== first && input.validity.valid) form.requestSubmit();
  };
  input.addEventListener("keydown", (event) => {
    isTyped = event.key !== "Enter";
    if (!isTyped) send();
  });
  input.addEventListener("pointerdown", () => {
    isTyped = false;
  });
  input.addEventListener("input", () => {
    if (input.valueAsDate) shown.textContent = days.format(input.valueAsDate);
  });
  input.addEventListener("change", () => {
    if (!isTyped) send();
  });
  input.addEventListener("blur", send);
}

/** A file may be dropped anywhere on the box; its name and size are said, and a size that cannot be sent. */
function letDrop(form) {
  const box = form.querySelector("[data-drop]");
  const input = box.querySelector("input[type=file]");
  for (const name of ["dragover", "dragleave", "drop"]) {
    box.addEventListener(name, (event) => {
      event.preventDefault();
      box.classList.toggle("over", name === "dragover");
    });
  }
  box.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    const one = new DataTransfer();
    one.items.add(event.dataTransfer.files[0]);
    input.files = one.files;
    tell(form, box, input);
  });
  input.addEventListener("change", () => tell(form, box, input));
  form.addEventListener("submit", (event) => showBusy(form, event.submitter));
}

function tell(form, box, input) {
  const file = input.files[0];
  const error = form.querySelector("[data-file-error]");
  const isTooLarge = Boolean(file) && file.size > Number(form.dataset.largest);
  box.classList.toggle("chosen", Boolean(file));
  error.hidden = !isTooLarge;
  error.textContent = isTooLarge ? form.dataset.tooLarge : "";
  input.setCustomValidity(isTooLarge ? form.dataset.tooLarge : "");
  if (!file) return;
  box.querySelector("[data-file-name]").textContent = file.name;
  box.querySelector("[data-file-about]").textContent = size(file.size);
}

function size(size_bytes) {
  const unit = size_bytes < 1024 * 1000 ? ["KB", 1024] : ["MB", 1024 * 1024];
  const value = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(size_bytes / unit[1]);
  return `${value} ${unit[0]}`;
}

function showBusy(form, submitter) {
  const button = submitter ?? form.querySelector(".form-foot .btn.primary");
  const before = [...button.childNodes];
  button.textContent = form.dataset.busy;
  button.setAttribute("aria-busy", "true");
  // Whoever comes back to the page finds the button as it was.
  addEventListener("pageshow", () => {
    button.replaceChildren(...before);
    button.removeAttribute("aria-busy");
  }, { once: true });
}

for (const form of document.querySelectorAll("form[data-days]")) letChooseDay(form);
const letDropAlready = new WeakSet();

/** A form that a live page has brought is made ready, too. */
function readyForms() {
  for (const form of document.querySelectorAll("form[data-load]")) {
    if (!letDropAlready.has(form)) letDrop(form);
    letDropAlready.add(form);
  }
}

readyForms();
document.addEventListener("live", readyForms);
