// A line as small as a word.

import { svg } from "./elements.js";
import { smooth } from "./scales.js";

const WIDTH = 84;
const HEIGHT = 26;

export function drawSparkline(element, values) {
  if (values.length < 2) return;
  const low = Math.min(...values);
  const range = Math.max(...values) - low || 1;
  const points = values.map((value, i) => [(i / (values.length - 1)) * WIDTH, 3 + (1 - (value - low) / range) * (HEIGHT - 6)]);
  const [cx, cy] = points.at(-1);
  element.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  element.replaceChildren(svg("path", { d: smooth(points) }), svg("circle", { cx, cy, r: 2.6 }));
}
