// The legend in the head of the card: a button for each series, which hides it and shows it again.

import { html, swatch } from "./elements.js";

export function makeLegend(figure, spec, hidden, redraw) {
  const place = document.querySelector(`[data-legend="${figure.dataset.chart}"]`);
  if (!place || !spec.series) return;
  place.replaceChildren(...spec.series.map((series) => makeButton(series, spec, hidden, redraw)));
}

function makeButton(series, spec, hidden, redraw) {
  const button = html("button", "key", swatch(series.color, series.kind === "line"), series.name);
  button.type = "button";
  button.setAttribute("aria-pressed", "true");
  button.addEventListener("click", () => {
    const isLast = !hidden.has(series.key) && hidden.size === spec.series.length - 1;
    if (isLast) return; // a chart without any series says nothing
    if (!hidden.delete(series.key)) hidden.add(series.key);
    button.setAttribute("aria-pressed", String(!hidden.has(series.key)));
    redraw();
  });
  return button;
}
