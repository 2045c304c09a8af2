// Pages of rankings: courses over days, bumps and histograms, drawn again when their size changes; the pinned row.

import { drawBump } from "./charts/bump.js";
import { drawCourse } from "./charts/course.js";
import { formatsFor } from "./charts/formats.js";
import { drawHistogram } from "./charts/histogram.js";

const KINDS = { bump: drawBump, course: drawCourse, histogram: drawHistogram };
const formats = formatsFor(document.documentElement.lang);

function mount(figure) {
  const spec = JSON.parse(figure.querySelector("script").textContent);
  let width = -1;
  const onResize = () => {
    if (Math.abs(figure.clientWidth - width) < 2) return;
    width = figure.clientWidth;
    KINDS[spec.type](figure, spec, { formats });
  };
  new ResizeObserver(onResize).observe(figure);
}

/** The row at the foot of a board goes while the same row is in sight above. */
function followPinned(foot) {
  const board = foot.closest("table");
  const row = board.querySelector("tbody tr.mine");
  if (!row) return;
  const watch = new IntersectionObserver(([seen]) => (foot.hidden = seen.isIntersecting));
  watch.observe(row);
}

for (const figure of document.querySelectorAll("figure[data-course]")) mount(figure);
for (const foot of document.querySelectorAll("table.board tfoot")) followPinned(foot);
