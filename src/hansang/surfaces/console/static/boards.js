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
  if (!row) return null;
  const watch = new IntersectionObserver(([seen]) => (foot.hidden = seen.isIntersecting));
  watch.observe(row);
  return watch;
}

const mounted = new WeakSet();
let watches = [];

/** Draws what is not drawn yet and follows the rows there are: of a page, and of the same when it has changed. */
function mountAll() {
  for (const figure of document.querySelectorAll("figure[data-course]")) {
    if (!mounted.has(figure)) mount(figure);
    mounted.add(figure);
  }
  for (const watch of watches) watch?.disconnect();
  watches = [...document.querySelectorAll("table.board tfoot")].map(followPinned);
}

document.addEventListener("live", mountAll);
mountAll();
