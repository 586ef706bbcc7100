// The chat page: chats on the left, messages on the right, everything live.

import * as api from "./api.js";
import { enliven, listenForPresses, remember, restore, toast } from "./card.js";

const byId = (id) => document.getElementById(id);
const list = byId("messages");
const state = { chats: [], current: "", replyTo: null, unread: {}, late: null };

const me = () => byId("user").value;
const chat = () => state.chats.find((one) => one.chat_id === state.current);

function element(tag, css, text) {
  const made = document.createElement(tag);
  if (css) made.className = css;
  if (text !== undefined) made.textContent = text;
  return made;
}

// Chats ---------------------------------------------------------------------------------------

function isMine(one) {
  return one.chat_type === "group" || one.members.some((member) => member.open_id === me());
}

function chatItem(one) {
  const bot = one.chat_type === "p2p" ? document.body.dataset.bot : "";
  const button = element("button", one.chat_id === state.current ? "current" : "");
  button.type = "button";
  button.dataset.chat = one.chat_id;
  const lines = element("span", "lines");
  lines.append(element("b", "", bot || one.name), element("span", "last", one.last_text));
  button.append(element("span", `avatar ${one.chat_type}`, (bot || one.name).slice(0, 1)), lines);
  const unread = state.unread[one.chat_id];
  if (unread) button.append(element("span", "unread", String(unread)));
  button.addEventListener("click", () => open(one.chat_id));
  const item = element("li");
  item.append(button);
  return item;
}

function drawChats() {
  byId("chats").replaceChildren(...state.chats.filter(isMine).map(chatItem));
  const one = chat();
  if (!one) return;
  const kind = one.chat_type === "group" ? api.texts.group : api.texts.private;
  const outside = one.bot_inside ? "" : ` · ${api.texts["bot-outside"]}`;
  byId("title").textContent = one.chat_type === "p2p" ? document.body.dataset.bot : one.name;
  const named = (member) => (member.role ? `${member.name} (${member.role})` : member.name);
  byId("members").textContent = `${kind} · ${one.members.map(named).join("、")}${outside}`;
  byId("mention-label").hidden = one.chat_type === "p2p";
  byId("menu").hidden = one.chat_type !== "p2p";
}

let fetching = null;
function refreshChats() {
  fetching ??= api.chats().then((chats) => {
    state.chats = chats;
    drawChats();
  }).finally(() => { fetching = null; });
  return fetching;
}

async function open(chatId) {
  state.current = chatId;
  state.unread[chatId] = 0;
  stopReplying();
  byId("app").classList.add("in-chat");
  history.replaceState(null, "", `#${chatId}`);
  drawChats();
  await loadMessages();
}

// Messages ------------------------------------------------------------------------------------

async function loadMessages() {
  // What arrives while the list is on its way is newer than the list.
  const late = [];
  state.late = late;
  const messages = await api.messages(state.current);
  if (state.late !== late) return;
  state.late = null;
  list.replaceChildren();
  [...messages, ...late].forEach(place);
  drawEmpty();
  list.scrollTop = list.scrollHeight;
}

function drawEmpty() {
  const hint = list.querySelector(".empty");
  if (list.querySelector(".message")) hint?.remove();
  else if (!hint) list.append(element("p", "empty", api.texts.empty));
}

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

function threadOf(root) {
  let thread = root.querySelector(":scope > .bubble > .thread");
  if (!thread) {
    thread = element("div", "thread");
    thread.append(element("p", "thread-count"));
    root.querySelector(":scope > .bubble").append(thread);
  }
  return thread;
}

function place(view) {
  const fresh = parsed(view.html);
  const old = byId(view.message_id);
  fresh.classList.toggle("mine", view.sender.open_id === me());
  enliven(fresh);
  if (!view.recalled) addReply(fresh, view);
  if (old) {
    const thread = old.querySelector(":scope > .bubble > .thread");
    if (thread) fresh.querySelector(":scope > .bubble").append(thread);
    restore(fresh, remember(old));
    old.replaceWith(fresh);
    return;
  }
  const root = view.thread_id && byId(view.root_id);
  const home = root ? threadOf(root) : list;
  home.append(fresh);
  if (root) {
    const count = home.querySelectorAll(".message").length;
    home.firstChild.textContent = api.texts.thread.replace("%n", count);
  }
}

function nearEnd() {
  return list.scrollHeight - list.scrollTop - list.clientHeight < 120;
}

function arrived(view) {
  refreshChats();
  if (view.chat_id !== state.current) {
    state.unread[view.chat_id] = (state.unread[view.chat_id] || 0) + 1;
    return;
  }
  if (state.late) {
    state.late.push(view);
    return;
  }
  const follow = nearEnd() || view.sender.open_id === me();
  place(view);
  drawEmpty();
  if (follow) list.scrollTop = list.scrollHeight;
}

// Writing -------------------------------------------------------------------------------------

function addReply(message, view) {
  const button = element("button", "reply", api.texts.reply);
  button.type = "button";
  button.addEventListener("click", () => {
    state.replyTo = { parent_id: view.message_id, in_thread: Boolean(view.thread_id) };
    byId("replying-to").textContent = `${api.texts.reply} ${view.sender.name}: ${view.text}`;
    byId("replying").hidden = false;
    byId("text").focus();
  });
  message.querySelector(".meta").append(button);
}

function stopReplying() {
  state.replyTo = null;
  byId("replying").hidden = true;
}

async function sendText() {
  const box = byId("text");
  const text = box.value.trim();
  if (!text) return;
  const saying = { text, user: me(), mention_bot: byId("mention").checked, ...state.replyTo };
  try {
    await api.say(state.current, saying);
    box.value = "";
    stopReplying();
  } catch (error) {
    toast("error", error.message);
  }
}

function drawSubscription(status) {
  const line = byId("subscription");
  line.textContent = status.text;
  line.dataset.state = status.state;
}

// Menu and faults -----------------------------------------------------------------------------

function drawTroubles(told) {
  for (const button of byId("troubles").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(told.under_way.includes(button.dataset.trouble)));
  }
}

function onButtons(id, act) {
  byId(id).addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    try {
      await act(button.dataset);
    } catch (error) {
      toast("error", error.message);
    }
  });
}

onButtons("menu", ({ menu }) => api.choose(menu, me()));
onButtons("troubles", async ({ trouble }) => drawTroubles(await api.trouble(trouble, state.current)));
byId("troubles").addEventListener("toggle", async () => drawTroubles(await api.troubles()));

// Start ---------------------------------------------------------------------------------------

byId("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  sendText();
});
byId("text").addEventListener("keydown", (event) => {
  // Enter also ends the choice of a Chinese word; that must not send.
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    sendText();
  }
});
byId("stop-replying").addEventListener("click", stopReplying);
byId("back").addEventListener("click", () => byId("app").classList.remove("in-chat"));
byId("user").addEventListener("change", () => {
  const still = chat() && isMine(chat());
  open(still ? state.current : state.chats.find(isMine).chat_id);
});
listenForPresses(list, me);

const linked = location.hash.slice(1);
let lost = false;
api.stream({
  open: () => {
    byId("offline").hidden = true;
    if (lost) start();
    lost = false;
  },
  lost: () => {
    lost = true;
    byId("offline").hidden = false;
  },
  message: arrived,
  chats: refreshChats,
  subscription: drawSubscription,
  reset: () => start(),
});

async function start() {
  await refreshChats();
  drawSubscription(await api.subscription());
  const wanted = state.current || linked;
  const known = state.chats.find((one) => one.chat_id === wanted) || state.chats[0];
  // A phone shows the list of chats first, unless the address names a chat.
  const phone = document.body.classList.contains("phone");
  const first = !wanted && (phone || matchMedia("(max-width: 720px)").matches);
  await open(known.chat_id);
  if (first) byId("app").classList.remove("in-chat");
}

start();
