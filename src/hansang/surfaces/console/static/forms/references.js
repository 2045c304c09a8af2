// The id of another item: a combobox that asks the server for items by id or name.

const WAIT = 150;
let counted = 0;

class Finder {
  constructor(input) {
    this.input = input;
    this.chosen = input.parentElement.querySelector("[data-chosen]");
    this.status = document.createElement("span");
    this.status.className = "vh";
    this.status.setAttribute("role", "status");
    this.list = document.createElement("ul");
    this.list.className = "found-list";
    this.list.id = `${input.id}-found-${(counted += 1)}`;
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", input.labels[0].firstChild.textContent.trim());
    this.list.hidden = true;
    input.removeAttribute("list"); // the browser's own list would lie over this one
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", this.list.id]]) {
      input.setAttribute(name, value);
    }
    input.after(this.list, this.status);
    input.addEventListener("input", () => this.ask());
    input.addEventListener("focus", () => this.ask());
    input.addEventListener("keydown", (event) => this.onKey(event));
    input.addEventListener("blur", () => setTimeout(() => this.close(), WAIT));
  }

  ask() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.find(), WAIT);
  }

  async find() {
    const asked = this.input.value;
    const answer = await fetch(`${this.input.dataset.search}&q=${encodeURIComponent(asked)}`).catch(() => null);
    if (!answer?.ok || asked !== this.input.value || document.activeElement !== this.input) return;
    this.show(await answer.json());
  }

  show(found) {
    this.list.replaceChildren(...found.map((each, index) => this.option(each, index)));
    this.status.textContent = found.length ? this.input.dataset.found.replace("%", found.length) : this.input.dataset.none;
    this.toggle(found.length > 0);
    this.mark(-1);
    const same = found.find((each) => each.value === this.input.value);
    this.chosen.textContent = same ? same.label : "";
  }

  option(each, index) {
    const item = document.createElement("li");
    item.id = `${this.list.id}-${index}`;
    item.setAttribute("role", "option");
    item.dataset.value = each.value;
    const label = document.createElement("b");
    label.textContent = each.label || each.value;
    const value = document.createElement("small");
    value.textContent = each.label ? each.value : "";
    item.append(label, value);
    item.addEventListener("mousedown", (event) => {
      event.preventDefault();
      this.choose(item);
    });
    return item;
  }

  mark(index) {
    this.at = index;
    [...this.list.children].forEach((item, each) => item.setAttribute("aria-selected", String(each === index)));
    const item = this.list.children[index];
    if (item) {
      this.input.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  onKey(event) {
    const count = this.list.children.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) this.ask();
      else this.mark((this.at + (event.key === "ArrowDown" ? 1 : -1) + count) % count);
    }
    if (event.key === "Enter" && !this.list.hidden && this.at >= 0) {
      event.preventDefault();
      this.choose(this.list.children[this.at]);
    }
    if (event.key === "Escape" && !this.list.hidden) {
      event.stopPropagation();
      this.close();
    }
  }

  choose(item) {
    this.input.value = item.dataset.value;
    this.chosen.textContent = item.querySelector("b").textContent;
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
    this.close();
    clearTimeout(this.waiting);
  }

  toggle(isOpen) {
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
  }

  close() {
    this.toggle(false);
    this.input.removeAttribute("aria-activedescendant");
  }
}

/** Gives every reference a list of what is found. */
export function enhanceReferences(root) {
  for (const input of root.querySelectorAll("[data-search]:not([role])")) new Finder(input);
}
