// Banners are dragged to their place; the arrows beside each do the same by keyboard.

const rows = [...document.querySelectorAll("[data-banner-row]")];
let lifted = null;

function drop(onto) {
  const form = lifted.querySelector("form.banner-moves");
  const place = document.createElement("input");
  place.type = "hidden";
  place.name = "to";
  place.value = onto.dataset.bannerRow;
  form.append(place);
  form.submit();
}

rows.forEach((row) => {
  row.addEventListener("dragstart", (event) => {
    lifted = row;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", row.dataset.bannerRow);
    row.classList.add("lifted");
  });
  row.addEventListener("dragend", () => {
    row.classList.remove("lifted");
    lifted = null;
  });
  row.addEventListener("dragover", (event) => {
    if (!lifted || lifted === row) return;
    event.preventDefault();
    row.classList.add("dropping");
  });
  row.addEventListener("dragleave", () => row.classList.remove("dropping"));
  row.addEventListener("drop", (event) => {
    row.classList.remove("dropping");
    if (!lifted || lifted === row) return;
    event.preventDefault();
    drop(row);
  });
});
