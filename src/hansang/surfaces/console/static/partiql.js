// The PartiQL console: Ctrl or ⌘ with Enter runs what is typed.

const form = document.querySelector("[data-statement]");

form?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

// Where there is a keyboard, it writes into the statement at once.
if (matchMedia("(pointer: fine)").matches) form?.elements.statement.focus({ preventScroll: true });
