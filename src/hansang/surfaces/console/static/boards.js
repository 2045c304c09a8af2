// Pages of rankings: courses over days, bumps and histograms, drawn again when their size changes; the pinned row.

// A page loads what its own charts need.
const KINDS = {
  bump: () => import("./charts/bump.js"),
  course: () => import("./charts/course.js"),
  histogram: () => import("./charts/histogram.js"),
};

async function mount(figure) {
  const spec = JSON.parse(figure.querySelector("script").textContent);
  const { draw } = await KINDS[spec.type]();
  let width = -1;
  const onResize = () => {
    if (Math.abs(figure.clientWidth - width) < 2) return;
    width = figure.clientWidth;
    draw(figure, spec);
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
