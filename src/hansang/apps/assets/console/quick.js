// The keypad at its own address: what is entered goes on its way at once, or waits for a connection.

import { say } from "../frame.js";
import { startPad } from "./pad.js";
import { start } from "./queue.js";

const offline = document.querySelector("[data-offline]");

function onWaiting(items, isOffline = false) {
  offline.hidden = !items.length || !(isOffline || !navigator.onLine);
  const about = offline.querySelector("[data-offline-about]");
  about.textContent = about.dataset.text.replace("{count}", items.length);
}

startPad();
start({
  onWaiting,
  onAnswer: (_, { page }) => say(page.querySelector("template[data-said]")?.content.querySelector("span")?.textContent ?? ""),
  csrf: () => offline.dataset.csrf,
});
