// Days without data.

import { svg } from "./elements.js";

/** A day without data is a bar, and never a joined line. */
export function drawGaps(picture, plane, gaps = []) {
  const width = Math.max(4, Math.min(14, plane.step * 0.7));
  for (const i of gaps) {
    picture.append(
      svg("rect", { class: "gap", x: plane.x(i) - width / 2, y: plane.top, width, height: plane.bottom - plane.top, rx: 3 }),
    );
  }
}
