// Short texts as tags: the lines of a text area, each with a button that removes it.

function linesOf(area) {
  return area.value.split("\n").map((line) => line.trim()).filter(Boolean);
}

function keep(area, lines) {
  area.value = [...new Set(lines)].join("\n");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

function draw(area, box, input) {
  for (const each of box.querySelectorAll(".tag-item")) each.remove();
  for (const line of linesOf(area)) {
    const item = document.createElement("span");
    item.className = "tag-item";
    const text = document.createElement("span");
    text.textContent = line;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "×";
    button.setAttribute("aria-label", area.dataset.remove.replace("%", line));
    button.addEventListener("click", () => {
      keep(area, linesOf(area).filter((each) => each !== line));
      draw(area, box, input);
      input.focus();
    });
    item.append(text, button);
    input.before(item);
  }
}

function enhanceOne(area) {
  const box = document.createElement("div");
  box.className = "tag-box input";
  const input = document.createElement("input");
  input.placeholder = area.dataset.add;
  input.setAttribute("aria-label", area.labels[0].firstChild.textContent.trim());
  for (const name of ["aria-describedby", "aria-invalid"]) {
    if (area.hasAttribute(name)) input.setAttribute(name, area.getAttribute(name));
  }
  const take = () => {
    const more = input.value.split(/[,\n]/).map((each) => each.trim()).filter(Boolean);
    if (!more.length) return;
    keep(area, [...linesOf(area), ...more]);
    input.value = "";
    draw(area, box, input);
  };
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // Hangul is not finished yet
    if (event.key === "Enter" || event.key === ",") {
      event.preventDefault();
      take();
    }
    if (event.key === "Backspace" && !input.value) {
      keep(area, linesOf(area).slice(0, -1));
      draw(area, box, input);
    }
  });
  input.addEventListener("blur", take);
  box.append(input);
  area.before(box);
  area.hidden = true;
  box.addEventListener("click", () => input.focus());
  area.labels[0].addEventListener("click", () => input.focus());
  draw(area, box, input);
}

/** Turns the text areas of tags into rows of tags. */
export function enhanceTags(root) {
  for (const area of root.querySelectorAll("textarea[data-tags]:not([hidden])")) enhanceOne(area);
}
