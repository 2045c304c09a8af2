// The fields of a form that people fill in.

const NOT_TYPED = ["hidden", "password", "file", "submit", "button", "reset", "image"];

export function fieldsOf(form) {
  return [...form.elements].filter((field) => field.name && "value" in field && !NOT_TYPED.includes(field.type));
}

export function isTick(field) {
  return field.type === "checkbox" || field.type === "radio";
}

/** Whether somebody has made a field different from what the page came with. */
export function isChanged(field) {
  if (field.type === "file") return field.files.length > 0;
  if (isTick(field)) return field.checked !== field.defaultChecked;
  if (field instanceof HTMLSelectElement) return isChosen(field);
  return field.type !== "hidden" && field.defaultValue !== undefined && field.value !== field.defaultValue;
}

function isChosen(select) {
  const options = [...select.options];
  const chosen = options.filter((option) => option.defaultSelected);
  const first = chosen.length || select.multiple ? chosen : options.slice(0, 1);
  return options.some((option) => option.selected !== first.includes(option));
}
