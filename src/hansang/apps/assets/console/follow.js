// When somebody else enters something, the month is brought up to date; what is being typed stays as it is.

import { patch } from "./patch.js";

const FLASH = 4000;
const SOON = 400;

let source = null;
let timer = 0;
let heard = "";

export function follow(topic) {
  const listen = () => {
    source?.close();
    source = null;
    if (document.hidden) return;
    source = new EventSource(`/live?topic=${encodeURIComponent(topic)}`);
    source.addEventListener("message", (event) => {
      if (event.lastEventId === heard) return;
      heard = event.lastEventId;
      clearTimeout(timer);
      timer = setTimeout(renew, SOON);
    });
  };
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => source?.close());
  listen();
}

async function renew() {
  // Whoever answers a question has it before them until it is answered.
  if (document.querySelector("dialog[open]")) return void (timer = setTimeout(renew, SOON * 5));
  const asked = address();
  const answer = await fetch(asked, { headers: { "X-Part": "main" } }).catch(() => null);
  if (answer?.status !== 200) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!page.querySelector("[data-ledger]")) return;
  if (document.querySelector("dialog[open]") || address() !== asked) return renew();
  const before = amounts();
  patch(page);
  for (const [key, cell] of cells()) {
    if (before.get(key) === cell.textContent) continue;
    cell.classList.add("flash");
    setTimeout(() => cell.classList.remove("flash"), FLASH);
  }
}

/** The page as it is seen: with the consequences of the last correction, where they are shown. */
function address() {
  const found = new URL(location.href);
  const reach = document.querySelector("[data-reach]");
  if (reach) found.searchParams.set("change", reach.dataset.reach);
  return found.href;
}

function cells() {
  return [...document.querySelectorAll("tr[data-row] button.cell")].map((cell) => [
    `${cell.closest("tr").dataset.row} ${cell.dataset.by}`,
    cell,
  ]);
}

function amounts() {
  return new Map(cells().map(([key, cell]) => [key, cell.textContent]));
}
