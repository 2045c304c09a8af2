// The PartiQL console: Ctrl or ⌘ with Enter runs what is typed.

const form = document.querySelector("[data-statement]");

form?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

const statement = form?.elements.statement;
if (statement && !location.hash && !document.querySelector("dialog[open]")) statement.focus({ preventScroll: true });
