// The sheet of keyboard shortcuts: the page /keys in a dialog.

let dialog;

export async function open(setting) {
  if (!dialog) await make(setting);
  if (dialog && !dialog.open) dialog.showModal();
}

async function make(setting) {
  const answer = await fetch("/keys", { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const sheet = page.querySelector("[data-keys-sheet]");
  if (!sheet) return location.assign("/keys");
  dialog = document.createElement("dialog");
  dialog.className = "dialog wide keys";
  const title = page.querySelector("h1");
  title.id = "keys-title";
  dialog.setAttribute("aria-labelledby", title.id);
  const heading = document.createElement("h2");
  heading.id = title.id;
  heading.textContent = title.textContent;
  dialog.append(heading, sheet);
  document.body.append(dialog);
  wire(sheet, setting);
}

/** Lets the tick box turn the keys on and off, in this browser. */
export function wire(sheet, setting) {
  const box = sheet.querySelector("[data-keys-switch]");
  box.checked = localStorage.getItem(setting) !== "off";
  box.addEventListener("change", () => localStorage.setItem(setting, box.checked ? "on" : "off"));
}
