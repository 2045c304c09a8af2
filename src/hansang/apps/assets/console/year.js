// Where the months of a year do not fit, the present one is shown first, with those before it.

const now = document.querySelector(".heat [data-now]");
const frame = now?.closest(".table-wrap");
if (frame) frame.scrollLeft = now.offsetLeft + now.offsetWidth - frame.clientWidth;
