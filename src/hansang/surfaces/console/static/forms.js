// What forms can do beyond plain fields: money, calendars, rows, tags, pictures and references.

import { enhanceReferences } from "./forms/references.js";
import { enhanceRows } from "./forms/rows.js";
import { enhanceTags } from "./forms/tags.js";

/** Groups the digits of an amount while it is typed; the cursor stays behind the same digit. */
function groupDigits(input) {
  const before = input.value.slice(0, input.selectionStart).replace(/\D/g, "").length;
  const sign = input.value.trim().startsWith("-") ? "-" : "";
  const digits = input.value.replace(/\D/g, "").replace(/^0+(?=\d)/, "");
  const text = sign + digits.replace(/\B(?=(\d{3})+$)/g, ",");
  if (text === input.value || /[^\d,\s-]/.test(input.value)) return;
  input.value = text;
  let at = sign.length;
  for (let seen = 0; seen < before && at < text.length; at += 1) if (/\d/.test(text[at])) seen += 1;
  input.setSelectionRange(at, at);
}

// ── calendars ──

const toPicker = {
  date: (text) => text,
  month: (text) => text.replace(/[^\d]/g, "-"),
  "datetime-local": (text) => text.replace(" ", "T"),
};

function fromPicker(input, value) {
  if (input.dataset.picker === "month") return value.replace("-", input.dataset.example?.replace(/\d/g, "") || "-");
  return value.replace("T", " ");
}

/** A button beside the text opens the browser's own calendar, if it has one. */
function addPicker(input) {
  if (input.dataset.enhanced) return;
  input.dataset.enhanced = "yes";
  const kind = input.dataset.picker;
  const calendar = document.createElement("input");
  calendar.type = kind;
  if (calendar.type !== kind || !calendar.showPicker) return;
  calendar.className = "calendar";
  calendar.tabIndex = -1;
  calendar.setAttribute("aria-hidden", "true");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "pick";
  button.setAttribute("aria-label", `${input.dataset.pick}: ${input.labels?.[0]?.firstChild?.textContent?.trim() ?? ""}`);
  button.addEventListener("click", () => {
    calendar.value = toPicker[kind](input.value.trim());
    calendar.showPicker();
  });
  calendar.addEventListener("change", () => {
    if (!calendar.value) return;
    input.value = fromPicker(input, calendar.value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.focus();
  });
  input.after(calendar, button);
}

// ── pictures ──

/** Shows a picture of this site; others would have to be fetched from elsewhere. */
function preview(input) {
  const field = input.closest(".picture");
  const frame = field.querySelector("[data-preview]");
  const isOurs = /^\/(?!\/)/.test(input.value);
  field.querySelector("[data-elsewhere]").hidden = isOurs || !input.value;
  frame.querySelector("img")?.remove();
  if (!isOurs) return;
  const image = new Image();
  image.alt = input.dataset.alt;
  image.addEventListener("error", () => image.remove());
  image.src = input.value;
  frame.append(image);
}

function onInput(event) {
  if (event.target.matches("[data-money]")) groupDigits(event.target);
  if (event.target.matches("[data-picture]")) preview(event.target);
}

/** Makes what is new on the page as capable as what was there. */
export function enhance(root) {
  for (const input of root.querySelectorAll("[data-picker]")) addPicker(input);
  enhanceTags(root);
  enhanceReferences(root);
}

document.addEventListener("input", onInput);
enhanceRows(enhance);
enhance(document);
// A link of the summary leads into the field, not only to it.
document.addEventListener("click", (event) => {
  const link = event.target.closest(".summary a");
  const field = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.scrollIntoView({ block: "center" });
});
