// The reference without this script is whole; this makes it quicker to find and to copy things.

const operations = [...document.querySelectorAll(".operation")];

function narrow(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const each of operations) {
    each.hidden = !wanted.every((word) => each.dataset.text.includes(word));
  }
  const nothing = document.querySelector("[data-nothing]");
  if (nothing) nothing.hidden = operations.some((each) => !each.hidden);
}

function open(id) {
  const found = id && document.getElementById(decodeURIComponent(id));
  if (found instanceof HTMLDetailsElement) {
    found.open = true;
    found.scrollIntoView({ block: "start" });
  }
}

function say(text) {
  const toast = document.querySelector("[data-toast]");
  toast.textContent = text;
  toast.classList.add("on");
  setTimeout(() => toast.classList.remove("on"), 1600);
}

async function copy(button) {
  await navigator.clipboard.writeText(button.previousElementSibling.textContent);
  say(document.querySelector("[data-toast]").dataset.copied);
}

document.querySelector("[data-filter]")?.addEventListener("input", (event) => narrow(event.target.value));
for (const button of document.querySelectorAll("[data-copy]")) {
  // A browser offers the clipboard to secure pages only.
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", () => copy(button));
}
for (const each of operations) {
  each.addEventListener("toggle", () => each.open && history.replaceState(null, "", `#${each.id}`));
}
window.addEventListener("hashchange", () => open(location.hash.slice(1)));
open(location.hash.slice(1));
