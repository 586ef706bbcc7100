"""Messages of every type to HTML."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from markupsafe import Markup

from rankscope.text import say
from sandbox.feishu.render_card import render_card
from sandbox.feishu.render_markdown import IMAGES, at_millisecond, render_markdown
from sandbox.feishu.render_parts import Json, Look, listed, mapping, safe_link
from sandbox.feishu.views import MessageView


def render_message(view: MessageView, look: Look, quoted: str = "") -> Markup:
    """Return one message with its sender, time, marks and emoji; quoted is what it replies to."""
    return Markup(
        '<article class="message{bot}{recalled}" id="{id}" data-sender="{sender}" '
        'data-root="{root}" '
        'data-thread="{thread}" data-created="{created}"><span class="avatar{bot}">{initial}</span>'
        '<div class="bubble"><div class="meta"><b>{name}</b>{badge}<time>{time}</time>{marks}</div>'
        "{quote}{body}{reactions}</div></article>"
    ).format(
        id=view.message_id,
        sender=view.sender.open_id,
        root=view.root_id,
        thread=view.thread_id,
        created=view.created_ms,
        bot=" bot" if view.sender.is_bot else "",
        recalled=" recalled" if view.recalled else "",
        initial=view.sender.name[:1].upper(),
        name=view.sender.name,
        badge=_mark("emulator-bot", "badge", look) if view.sender.is_bot else "",
        time=at_millisecond(view.created_ms, "%H:%M:%S"),
        marks=_marks(view, look),
        quote=_quote(view, quoted, look),
        body=_body(view, look),
        reactions=_reactions(view),
    )


def _mark(text_id: str, css: str, look: Look, **parameters: object) -> Markup:
    return Markup('<span class="{}">{}</span>').format(
        css, say(text_id, **parameters).of(look.language)
    )


def _marks(view: MessageView, look: Look) -> Markup:
    marks = Markup("")
    if view.updated:
        at = at_millisecond(view.updated_ms, "%H:%M:%S")
        marks += _mark("emulator-updated", "mark updated", look, time=at)
    if view.pinned:
        marks += _mark("emulator-pinned", "mark pinned", look)
    if view.urgent_for:
        marks += _mark("emulator-urgent", "mark urgent", look, names=", ".join(view.urgent_for))
    return marks


def _quote(view: MessageView, quoted: str, look: Look) -> Markup:
    if not quoted or view.thread_id:
        return Markup("")
    shown = say("emulator-reply-to", text=quoted).of(look.language)
    return Markup('<blockquote class="quote">{}</blockquote>').format(shown)


def _body(view: MessageView, look: Look) -> Markup:
    if view.recalled:
        return _mark("emulator-recalled", "note", look)
    render = _BODIES.get(view.msg_type)
    return (
        render(view, look) if render else Markup('<p class="note">[{}]</p>').format(view.msg_type)
    )


def _text(view: MessageView, look: Look) -> Markup:
    del look
    return Markup('<p class="text">{}</p>').format(
        with_mentions(str(view.content.get("text", "")), view.mentions)
    )


def with_mentions(text: str, names: Mapping[str, str]) -> Markup:
    """Return a text with its placeholders replaced by names."""
    shown = Markup("{}").format(text)
    for key, name in sorted(names.items(), reverse=True):
        shown = shown.replace(key, Markup('<span class="at">@{}</span>').format(name))
    return shown


def _card(view: MessageView, look: Look) -> Markup:
    return render_card(view.content, look)


def _post(view: MessageView, look: Look) -> Markup:
    wanted = "zh_cn" if look.language == "zh" else "en_us"
    content = view.content.get(wanted) or next(iter(view.content.values()), {})
    post = mapping(content)
    title = Markup("<b>{}</b>").format(post["title"]) if post.get("title") else Markup("")
    lines = post.get("content")
    rows = Markup("").join(
        Markup("<p>{}</p>").format(_spans(listed(line), look))
        for line in (lines if isinstance(lines, list) else [])
    )
    return Markup('<div class="text post">{}{}</div>').format(title, rows)


def _spans(nodes: Iterable[Json], look: Look) -> Markup:
    return Markup("").join(_span(node, look) for node in nodes)


def _span(node: Json, look: Look) -> Markup:
    tag, shown = node.get("tag"), str(node.get("text", ""))
    if tag == "a" and (url := safe_link(node.get("href"))):
        return Markup('<a href="{}" target="_blank" rel="noopener noreferrer">{}</a>').format(
            url, shown
        )
    if tag == "at":
        return Markup('<span class="at">@{}</span>').format(
            look.names.of(str(node.get("user_id", "")))
        )
    if tag == "img":
        return Markup('<img class="picture" src="{}{}" alt="">').format(
            IMAGES, node.get("image_key", "")
        )
    if tag == "code_block":
        return Markup("<pre><code>{}</code></pre>").format(shown)
    if tag == "md":
        return Markup('<div class="md">{}</div>').format(render_markdown(shown, look.names))
    return Markup("<hr>") if tag == "hr" else Markup("{}").format(shown)


def _image(view: MessageView, look: Look) -> Markup:
    del look
    return Markup('<img class="picture" src="{}{}" alt="">').format(
        IMAGES, view.content.get("image_key", "")
    )


def _file(view: MessageView, look: Look) -> Markup:
    return Markup('<p class="file"><a href="/emulator/files/{}" download>{}</a></p>').format(
        view.content.get("file_key", ""), say("emulator-file").of(look.language)
    )


def _shared(view: MessageView, look: Look) -> Markup:
    shared = view.content.get("chat_id") or view.content.get("user_id") or ""
    return Markup('<p class="text">{}</p>').format(look.names.of(str(shared)))


def _reactions(view: MessageView) -> Markup:
    if not view.reactions:
        return Markup("")
    return Markup('<div class="reactions">{}</div>').format(
        Markup("").join(
            Markup('<span class="reaction" title="{}">{} {}</span>').format(
                reaction.emoji, reaction.shown, "、".join(reaction.names)
            )
            for reaction in view.reactions
        )
    )


_BODIES: Final[Mapping[str, Callable[[MessageView, Look], Markup]]] = {
    "text": _text,
    "interactive": _card,
    "post": _post,
    "image": _image,
    "file": _file,
    "audio": _file,
    "media": _file,
    "share_chat": _shared,
    "share_user": _shared,
}
