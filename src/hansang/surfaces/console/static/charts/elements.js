// Elements of SVG and of HTML, made in one call each.

const SVG = "http://www.w3.org/2000/svg";

/** svg("line", { class: "cross", x1: 0 }, …children) */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** html("li", "on", …children) */
export function html(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** The small square, or stroke, that says which colour a series has. */
export function swatch(color, isLine = false) {
  return html("i", `c-${color}${isLine ? " ln" : ""}`);
}
