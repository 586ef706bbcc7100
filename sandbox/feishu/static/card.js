// What cards do in the page: sizes, table pages, buttons, forms.

import * as api from "./api.js";

const LENGTH = /^(-?\d{1,3}px|0)( (-?\d{1,3}px|0)){0,3}$/;
const SPACINGS = { small: "4px", medium: "8px", large: "12px", extra_large: "16px" };

// The page's policy forbids inline styles, so sizes arrive as data and are set here.
function applySizes(root) {
  const set = (name, property) => {
    for (const element of root.querySelectorAll(`[data-${name}]`)) {
      const given = element.getAttribute(`data-${name}`);
      const value = SPACINGS[given] || given;
      if (LENGTH.test(value)) element.style[property] = value;
    }
  };
  set("margin", "margin");
  set("padding", "padding");
  set("gap", "rowGap");
  set("gap-x", "columnGap");
  set("height", "height");
  for (const element of root.querySelectorAll("[data-width]")) {
    const value = element.dataset.width;
    if (/^\d{1,4}px$/.test(value)) element.style.minWidth = `min(${value}, 100%)`;
    if (/^\d{1,3}%$/.test(value)) element.style.width = value;
  }
}

function pageTable(table, page) {
  const rows = [...table.tBodies[0].rows];
  const size = Number(table.dataset.pageSize);
  const pages = Math.ceil(rows.length / size);
  rows.forEach((row, at) => { row.hidden = Math.floor(at / size) !== page; });
  table.dataset.page = page;
  const pager = table.pager;
  pager.querySelector("span").textContent =
    api.texts.page.replace("%a", page + 1).replace("%b", pages);
  const [before, after] = pager.querySelectorAll("button");
  before.disabled = page === 0;
  after.disabled = page === pages - 1;
}

function addPager(table) {
  if (!table.tBodies[0] || table.tBodies[0].rows.length <= Number(table.dataset.pageSize)) return;
  const pager = document.createElement("div");
  pager.className = "pager";
  for (const [sign, step] of [["‹", -1], ["›", 1]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.addEventListener("click", () => pageTable(table, Number(table.dataset.page) + step));
    pager.append(button);
  }
  pager.firstChild.after(document.createElement("span"));
  table.pager = pager;
  (table.closest(".scroll") || table).after(pager);
  pageTable(table, 0);
}

// Reading a card must not be disturbed by an update: what was open stays open.
export function remember(message) {
  return {
    open: [...message.querySelectorAll("details[data-panel]")].map((d) => [d.dataset.panel, d.open]),
    pages: [...message.querySelectorAll("table")].map((table) => Number(table.dataset.page || 0)),
    fields: [...message.querySelectorAll(".card-form [name]")].map((f) => [f.name, f.value]),
  };
}

export function restore(message, memory) {
  for (const [panel, open] of memory.open) {
    const details = message.querySelector(`details[data-panel="${CSS.escape(panel)}"]`);
    if (details) details.open = open;
  }
  [...message.querySelectorAll("table")].forEach((table, at) => {
    const rows = table.tBodies[0] ? table.tBodies[0].rows.length : 0;
    const last = Math.ceil(rows / Number(table.dataset.pageSize)) - 1;
    if (table.pager && memory.pages[at]) pageTable(table, Math.min(memory.pages[at], last));
  });
  for (const [name, value] of memory.fields) {
    const field = message.querySelector(`.card-form [name="${CSS.escape(name)}"]`);
    if (field && value) field.value = value;
  }
}

export function enliven(message) {
  applySizes(message);
  message.querySelectorAll("table[data-page-size]").forEach(addPager);
}

export function toast(kind, text) {
  const box = document.createElement("div");
  box.className = `toast ${["info", "success", "error", "warning"].includes(kind) ? kind : "info"}`;
  box.textContent = text;
  document.getElementById("toasts").append(box);
  setTimeout(() => box.remove(), kind === "error" ? 8000 : 4000);
}

function confirmed(button) {
  if (button.dataset.confirmTitle === undefined) return Promise.resolve(true);
  const dialog = document.getElementById("confirm");
  document.getElementById("confirm-title").textContent = button.dataset.confirmTitle;
  document.getElementById("confirm-text").textContent = button.dataset.confirmText;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

function formValue(form) {
  const value = {};
  for (const field of form.querySelectorAll("[name]")) {
    if (!field.name || field.tagName === "BUTTON") continue;
    if (field.type === "checkbox") value[field.name] = field.checked;
    else if (field.multiple) value[field.name] = [...field.selectedOptions].map((o) => o.value);
    else if (field.value) value[field.name] = field.value;
  }
  return value;
}

async function send(element, pressed) {
  const message = element.closest(".message");
  element.classList.add("busy");
  try {
    const result = await api.press(message.id, pressed);
    if (result.error) toast("error", api.errorText(result.error));
    else if (result.toast) toast(result.toast.type, api.toastText(result.toast));
  } catch (error) {
    toast("error", error.message);
  } finally {
    element.classList.remove("busy");
  }
}

async function pressButton(button, user) {
  if (button.disabled || button.classList.contains("busy") || !(await confirmed(button))) return;
  const form = button.closest("form.card-form");
  const action = button.dataset.formAction;
  if (action === "reset" && form) form.reset();
  const pressed = { button: button.dataset.press, user };
  if (action === "submit" && form) {
    if (!form.checkValidity()) return toast("warning", api.texts.required);
    pressed.form_value = formValue(form);
  }
  if (button.dataset.option !== undefined) pressed.option = button.dataset.option;
  if (button.dataset.url) window.open(button.dataset.url, "_blank", "noopener,noreferrer");
  if (button.dataset.press) await send(button, pressed);
}

function choose(field, user) {
  const pressed = { button: field.dataset.choose, user };
  if (field.type === "checkbox") pressed.checked = field.checked;
  else if (field.multiple) pressed.options = [...field.selectedOptions].map((o) => o.value);
  else if (field.tagName === "SELECT" || field.type !== "text") pressed.option = field.value;
  else pressed.input_value = field.value;
  send(field, pressed);
}

export function listenForPresses(container, user) {
  container.addEventListener("click", (event) => {
    const button = event.target.closest("[data-press], [data-url], [data-form-action]");
    if (button) pressButton(button, user());
  });
  container.addEventListener("change", (event) => {
    const field = event.target.closest("[data-choose]");
    if (field && !field.closest("form.card-form")) choose(field, user());
  });
  container.addEventListener("submit", (event) => event.preventDefault());
}
