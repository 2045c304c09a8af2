// Rows of a form: added, removed and moved without asking the server.

let enhance = () => {};

function renumber(list) {
  const field = list.closest("[data-rows]");
  [...list.children].forEach((row, index) => {
    row.querySelector("[data-number]").textContent = index + 1;
    for (const each of row.querySelectorAll("[data-named]")) {
      each.setAttribute("aria-label", each.dataset.named.replace("%", index + 1));
    }
  });
  field.querySelector("[data-none]").hidden = list.children.length > 0;
  field.querySelector("[data-row-count]").textContent = list.children.length;
  // Whoever warns of unsaved changes hears of it as of anything that is typed.
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function freshKey(list) {
  return Math.max(-1, ...[...list.children].map((row) => Number(row.dataset.rowKey))) + 1;
}

function add(field) {
  const list = field.querySelector("[data-list]");
  const row = field.querySelector("template[data-row]").content.firstElementChild.cloneNode(true);
  const key = freshKey(list);
  row.dataset.rowKey = key;
  for (const each of row.querySelectorAll("*")) {
    for (const name of ["id", "name", "for", "value", "aria-describedby", "list"]) {
      const given = each.getAttribute(name);
      if (given?.includes("%")) each.setAttribute(name, given.replace("%", key));
    }
  }
  list.append(row);
  enhance(row);
  renumber(list);
  row.querySelector("input, select, textarea")?.focus();
}

function change(button) {
  const row = button.closest("[data-row-key]");
  const list = row.parentElement;
  const { verb } = button.dataset;
  if (verb === "up") row.previousElementSibling?.before(row);
  if (verb === "down") row.nextElementSibling?.after(row);
  if (verb !== "remove") {
    renumber(list);
    button.focus();
    return;
  }
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  renumber(list);
  const field = list.closest("[data-rows]");
  (next?.querySelector("[data-verb=remove]") ?? field.querySelector("[data-add]")).focus();
}

function onClick(event) {
  const button = event.target.closest("[data-rows] button");
  if (!button || !button.matches("[data-add], [data-verb]")) return;
  event.preventDefault();
  if (button.matches("[data-add]")) add(button.closest("[data-rows]"));
  else change(button);
}

/** Does what the buttons of rows ask for; `enhancing` is told of every new row. */
export function enhanceRows(enhancing) {
  enhance = enhancing;
  document.addEventListener("click", onClick);
}
