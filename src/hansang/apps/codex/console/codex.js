// The editor saves its draft by itself and shows how it will read; banners are shown while they are edited.

import { altOf, takePictures } from "./pictures.js";

const WAIT = 1500;
const PREVIEW_WAIT = 300;
const SLOW = 400;
const VIEW = "codex-view";

// ── the editor ──

const editor = document.querySelector("form[data-editor]");

function editing(form) {
  const text = form.elements.contents;
  const title = form.elements.title;
  const state = document.querySelector("[data-save-state]");
  const publishing = document.querySelector("[data-publish]");
  let timer = 0;
  let isDirty = false;
  let isStopped = false;
  let saving = null;

  function say(words, kind = "") {
    state.textContent = words;
    state.dataset.kind = kind;
  }

  function settle(answer) {
    document.querySelectorAll("[data-tag]").forEach((field) => (field.value = answer.tag));
    if (form.getAttribute("action") !== `${answer.href}/save`) {
      form.action = `${answer.href}/save`;
      document.querySelector("[data-publish-form]").action = `${answer.href}/publish`;
      history.replaceState(null, "", answer.href);
    }
    publishing.disabled = false;
    say(answer.saved, "good");
  }

  async function send() {
    const slow = setTimeout(() => say(form.dataset.saving), SLOW);
    isDirty = false;
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        body: new FormData(form),
        headers: { "X-Autosave": "1", Accept: "application/json" },
      });
      if (answer.ok) settle(await answer.json());
      else await refused(answer);
    } catch {
      isDirty = true;
      say(form.dataset.offline, "warn");
      timer = setTimeout(save, WAIT * 4);
    } finally {
      clearTimeout(slow);
    }
  }

  // Another one was faster: nothing is saved or published until both versions are settled on a page of their own.
  async function refused(answer) {
    isDirty = true;
    if (answer.status === 409) {
      isStopped = true;
      isDirty = false;
      say(form.dataset.conflict, "bad");
      form.submit();
      return;
    }
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    say((isJson && (await answer.json()).problem) || form.dataset.failed, "bad");
  }

  function save() {
    clearTimeout(timer);
    if (isStopped || !form.elements.title || form.querySelector("fieldset").disabled) return Promise.resolve();
    saving = (saving ?? Promise.resolve()).then(send);
    return saving;
  }

  function changed() {
    isDirty = true;
    clearTimeout(timer);
    timer = setTimeout(save, WAIT);
  }

  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  form.addEventListener("submit", () => {
    isDirty = false;
    isStopped = true;
  });
  form.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey)) return;
    if (event.key === "s") {
      event.preventDefault();
      save();
    } else if (event.key === "Enter" && publishing && !publishing.disabled) publishing.click();
  });
  addEventListener("beforeunload", (event) => {
    if (isDirty) event.preventDefault();
  });

  // What is published is what was saved last, so it is saved before the question is answered.
  const sheet = document.querySelector("[data-publish-form]");
  sheet?.addEventListener("submit", async (event) => {
    if (!isDirty || isStopped) return;
    event.preventDefault();
    await save();
    if (!isDirty && !isStopped) sheet.submit();
  });

  growing(title);
  if (!text) return;
  previewing(form, text, title);
  marking(text);
  viewing(form);
  picturing(form, text);
}

// A picture stands where the cursor is when it has arrived.
function picturing(form, text) {
  const chooser = form.querySelector("[data-choose-picture]");
  if (!chooser) return;
  form.querySelector("[data-picture]").addEventListener("click", () => chooser.click());
  const list = form.querySelector("[data-uploads]");
  takePictures(text, chooser, list, form.elements.csrf.value, (address, file) => insert(text, `![${altOf(file.name)}](${address})\n`));
}

function growing(field) {
  const grow = () => {
    field.rows = 1;
    while (field.scrollHeight > field.clientHeight + 2 && field.rows < 5) field.rows += 1;
  };
  field.addEventListener("input", grow);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  grow();
}

function previewing(form, text, title) {
  const read = document.querySelector("[data-read]");
  const count = document.querySelector("[data-count]");
  let timer = 0;
  let latest = 0;

  function counted(number) {
    count.textContent = count.dataset.unit.replace("%", Number(number).toLocaleString());
  }

  async function show() {
    const mine = (latest += 1);
    const body = new FormData();
    body.set("csrf", form.elements.csrf.value);
    body.set("contents", text.value);
    const answer = await fetch(form.dataset.preview, { method: "POST", body }).catch(() => null);
    if (!answer?.ok || mine !== latest) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    read.replaceChildren(...page.body.childNodes);
    counted(answer.headers.get("x-characters") ?? 0);
  }

  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, PREVIEW_WAIT);
  });
  const heading = document.querySelector("[data-read-title]");
  title.addEventListener("input", () => {
    heading.textContent = title.value;
    heading.hidden = !title.value.trim();
  });
  counted(text.value.length);

  const pane = read.closest(".pane");
  text.addEventListener("scroll", () => {
    const room = text.scrollHeight - text.clientHeight;
    if (room > 0) pane.scrollTop = (text.scrollTop / room) * (pane.scrollHeight - pane.clientHeight);
  });
}

const AROUND = { bold: ["**", "**"], italic: ["*", "*"], strike: ["~~", "~~"], code: ["`", "`"], link: ["[", "](https://)"] };
const BEFORE = { h2: "## ", h3: "### ", list: "- ", numbers: "1. ", quote: "> " };
const TABLE = "\n|  |  |\n| --- | --- |\n|  |  |\n";
const KEYS = { b: "bold", i: "italic", k: "link" };

// Typed text goes in by the browser's own command, which keeps what can be undone.
function insert(text, words) {
  text.focus();
  if (!document.execCommand("insertText", false, words)) {
    text.setRangeText(words, text.selectionStart, text.selectionEnd, "end");
    text.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

function mark(text, verb) {
  const { selectionStart: start, selectionEnd: end, value } = text;
  const chosen = value.slice(start, end);
  if (verb === "table") insert(text, TABLE);
  else if (AROUND[verb]) {
    const [open, close] = AROUND[verb];
    insert(text, `${open}${chosen}${close}`);
    if (!chosen) text.setSelectionRange(start + open.length, start + open.length);
  } else {
    const from = value.lastIndexOf("\n", start - 1) + 1;
    const lines = value.slice(from, end).split("\n").map((line) => BEFORE[verb] + line);
    text.setSelectionRange(from, end);
    insert(text, lines.join("\n"));
  }
}

function marking(text) {
  document.querySelectorAll("[data-mark]").forEach((button) => {
    button.addEventListener("click", () => mark(text, button.dataset.mark));
  });
  text.addEventListener("keydown", (event) => {
    const verb = (event.ctrlKey || event.metaKey) && !event.altKey ? KEYS[event.key] : undefined;
    if (!verb) return;
    event.preventDefault();
    mark(text, verb);
  });
}

function viewing(form) {
  const panes = form.querySelector("[data-panes]");
  const buttons = [...form.querySelectorAll("[data-view]")];
  const show = (view) => {
    panes.dataset.panes = view;
    buttons.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.view === view)));
  };
  buttons.forEach((each) =>
    each.addEventListener("click", () => {
      localStorage.setItem(VIEW, each.dataset.view);
      show(each.dataset.view);
    }),
  );
  const kept = localStorage.getItem(VIEW) ?? "both";
  show(kept === "both" && innerWidth < 1000 ? "write" : kept);
}

if (editor) editing(editor);

// ── banners ──

function banner(form) {
  const hero = document.querySelector("[data-banner-preview]");
  if (!hero) return;
  const origins = hero.dataset.cdn.split(" ").filter(Boolean);
  const part = (name) => hero.querySelector(`[data-part="${name}"]`);
  const show = () => {
    const value = (name) => form.elements[name]?.value ?? "";
    part("title").textContent = value("title") || "…";
    part("desc").textContent = value("desc");
    for (const number of ["1", "2"]) {
      part(`btn${number}`).textContent = value(`btn${number}_text`);
      part(`btn${number}`).hidden = !value(`btn${number}_text`) || !value(`btn${number}_uri`);
    }
    const picture = part("picture");
    const address = value("img_uri");
    const isShown = /^\/(?![/\\])/.test(address) || origins.some((each) => address.startsWith(`${each}/`));
    picture.hidden = !isShown;
    form.querySelector("[data-not-shown]").hidden = !address || isShown;
    if (!picture.hidden && picture.getAttribute("src") !== address) picture.src = address;
    picture.alt = value("img_alt");
  };
  form.addEventListener("input", show);
  document.querySelectorAll("[data-width]").forEach((button) =>
    button.addEventListener("click", () => {
      hero.classList.toggle("narrow", button.dataset.width === "phone");
      document.querySelectorAll("[data-width]").forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
    }),
  );
}

function bannerPicture(form) {
  const chooser = form.querySelector("[data-choose-picture]");
  if (!chooser) return;
  const list = form.querySelector("[data-uploads]");
  takePictures(form, chooser, list, form.elements.csrf.value, (address, file) => {
    form.elements.img_uri.value = address;
    form.elements.img_alt.value ||= altOf(file.name);
    form.elements.img_uri.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

document.querySelectorAll("form[data-banner]").forEach((form) => {
  banner(form);
  bannerPicture(form);
});
