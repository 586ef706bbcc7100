// The control API, as the page uses it.

const language = document.body.dataset.language;
export const texts = JSON.parse(document.getElementById("texts").textContent);

async function call(path, body) {
  const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`/emulator/api${path}`, options);
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error || answer.statusText);
  return value;
}

export const chats = () => call("/chats");
export const messages = (chatId) => call(`/chats/${chatId}/messages?html=1&lang=${language}`);
export const say = (chatId, saying) => call(`/chats/${chatId}/messages`, saying);
export const press = (messageId, pressed) => call(`/messages/${messageId}/press`, pressed);
export const choose = (event_key, user) => call("/menu", { event_key, user });
export const trouble = (name, chat_id) => call(`/trouble/${name}`, { chat_id });
export const troubles = () => call("/trouble");
export const subscription = () => call(`/subscription?lang=${language}`);

export function stream(handlers) {
  const source = new EventSource(`/emulator/api/stream?lang=${language}`);
  source.onopen = handlers.open;
  source.onerror = handlers.lost;
  for (const kind of ["message", "chats", "subscription", "reset"]) {
    source.addEventListener(kind, (event) => {
      // An error of the connection is no event of ours and has no data.
      if (event.data !== undefined) handlers[kind](JSON.parse(event.data));
    });
  }
}

export function toastText(toast) {
  const translated = toast.i18n && toast.i18n[language === "zh" ? "zh_cn" : "en_us"];
  return translated || toast.content || "";
}

export const errorText = (error) => `${error.text[language]}\n${error.detail}`;
