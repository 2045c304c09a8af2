// Lists keep their filters: whoever goes back to one from an item finds it as it was left.

const PREFIX = "list:";
const BACK = ".crumbs a, [data-back], .seg a[aria-current=page]";

function remember() {
  const asked = new URLSearchParams(location.search);
  asked.delete("lang");
  sessionStorage.setItem(PREFIX + location.pathname, asked.toString());
}

function leadBack(link) {
  const kept = sessionStorage.getItem(PREFIX + link.pathname);
  if (kept && !link.search && link.pathname !== location.pathname) link.search = kept;
}

remember();
document.querySelectorAll(BACK).forEach(leadBack);
