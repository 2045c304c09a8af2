// What is entered is kept on this device until the server has taken it: nothing is lost when the connection drops.
//
// Each entry has a key of its own, so that one whose answer was lost is sent again and done once.

const person = document.body.dataset.person ?? "";
const STORE = `assets:queue:${person}`;
const AGAIN = 4000;

let isBusy = false;
let timer = 0;
let handlers = { onAnswer() {}, onWaiting() {}, csrf: () => "" };

export function waiting() {
  try {
    return JSON.parse(localStorage.getItem(STORE)) ?? [];
  } catch {
    return [];
  }
}

function keep(items) {
  if (items.length) localStorage.setItem(STORE, JSON.stringify(items));
  else localStorage.removeItem(STORE);
  handlers.onWaiting(items);
}

/** Sends fields to a path, now or when there is a connection; `about` is what the page needs to know again. */
export function send(path, fields, about = {}) {
  const household = document.querySelector("[data-household]")?.dataset.household ?? "";
  const own = [["key", crypto.randomUUID()], ["household", household]];
  const given = fields.filter(([name]) => name !== "household");
  keep([...waiting(), { path, fields: [...given, ...own], about }]);
  flush();
}

export function start(given) {
  handlers = { ...handlers, ...given };
  addEventListener("online", flush);
  handlers.onWaiting(waiting());
  flush();
}

export async function flush() {
  clearTimeout(timer);
  if (isBusy) return;
  isBusy = true;
  try {
    for (let [item] = waiting(); item; [item] = waiting()) {
      const answer = await post(item);
      if (!answer) {
        handlers.onWaiting(waiting(), true);
        timer = setTimeout(flush, AGAIN);
        break;
      }
      keep(waiting().slice(1));
      handlers.onAnswer(item, answer);
    }
  } finally {
    isBusy = false;
  }
}

/** The answer as a document; null while the server cannot be reached, is busy, or wants a new sign-in. */
async function post({ path, fields }) {
  const body = new URLSearchParams(fields.filter(([name]) => name !== "csrf"));
  body.set("csrf", handlers.csrf());
  try {
    const response = await fetch(path, { method: "POST", body });
    const isTaken = response.ok || [400, 404, 409, 422].includes(response.status);
    if (!isTaken || new URL(response.url).pathname === "/sign-in") return null;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return { status: response.status, page };
  } catch {
    return null;
  }
}
