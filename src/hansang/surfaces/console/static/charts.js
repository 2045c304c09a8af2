// Charts of a page: each figure[data-chart] holds its spec as JSON and is drawn, and drawn again when its size changes.

import { drawCalendar } from "./charts/calendar.js";
import { drawDonut } from "./charts/donut.js";
import { formatsFor } from "./charts/formats.js";
import { makeLegend } from "./charts/legend.js";
import { drawPlane } from "./charts/plane.js";
import { drawRanked } from "./charts/ranked.js";
import { drawSparkline } from "./charts/sparkline.js";

const KINDS = {
  bars: drawPlane,
  lines: drawPlane,
  area: drawPlane,
  rank: drawPlane,
  donut: drawDonut,
  calendar: drawCalendar,
  ranked: drawRanked,
};

const formats = formatsFor(document.documentElement.lang);

/** Draws a figure now and whenever its width changes; returns what gives it another spec. */
export function mount(figure, spec) {
  const hidden = new Set();
  let isFirst = true;
  let width = -1;

  // The sheet of styles may come after this module: without a size nothing is drawn, and the observer calls later.
  const draw = () => {
    figure.classList.toggle("first", isFirst);
    if (KINDS[spec.type](figure, spec, { formats, hidden })) isFirst = false;
  };
  const onResize = () => {
    if (Math.abs(figure.clientWidth - width) < 2) return;
    width = figure.clientWidth;
    draw();
  };

  makeLegend(figure, spec, hidden, draw);
  new ResizeObserver(onResize).observe(figure);
  return {
    update(next) {
      spec = next;
      draw();
    },
  };
}

const mounted = new WeakSet();

/** Draws what is not drawn yet: all of a page, and later what has come anew while it is live. */
function mountAll() {
  for (const chart of document.querySelectorAll("figure[data-chart], svg[data-spark]")) {
    if (mounted.has(chart)) continue;
    mounted.add(chart);
    if (chart.dataset.spark) drawSparkline(chart, JSON.parse(chart.dataset.spark));
    else mount(chart, JSON.parse(chart.querySelector("script").textContent));
  }
}

document.addEventListener("live", mountAll);
mountAll();
