"""Hide what must not leave a node or a team: secrets in log lines, events, dumps and messages.

Two strengths: `hide_known_forms` finds what is a secret by its form alone (credentials in URLs,
tokens as their issuers document them, private keys); `redact` also hides the values of names that
tell of a secret, and e-mail addresses. Both are pure and take time in proportion to the text,
whatever is in it. No rule knows every secret: what is sent should be short in the first place.
"""

import re

MASK = "***"

_URL = re.compile(r"(?P<head>\b[a-z][a-z0-9+.-]{0,31}://)[^/@\s'\"<>]{1,512}@", re.IGNORECASE)
# Forms that their issuers document: AWS, Alibaba Cloud, Google, Hugging Face, GitHub, GitLab,
# Slack, PyPI, npm, OpenAI and the like, Stripe, Tencent Cloud, Volcano Engine, JSON web tokens.
_TOKEN = re.compile(
    r"\b(?:A[KS]IA[0-9A-Z]{16}|LTAI[0-9A-Za-z]{12,28}|AIza[\w-]{35}|hf_\w{16,255}|gh[pousr]_\w{20,255}"
    r"|github_pat_\w{20,255}|glpat-[\w-]{16,255}|xox[abprs]-[\w-]{10,255}|pypi-[\w-]{16,255}"
    r"|npm_\w{30,255}|sk-[\w-]{16,255}|[rs]k_(?:live|test)_\w{8,255}|AKID[0-9A-Za-z]{13,64}"
    r"|AKLT[\w=-]{16,255}|ya29\.[\w-]{16,2048}|eyJ[\w-]{8,512}+\.[\w-]{8,4096}+\.[\w-]{0,4096})"
)
# Addresses that are themselves the right to post: group bots of Feishu, Lark and Slack.
_HOOK = re.compile(
    r"(?P<head>\b(?:open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook"
    r"|hooks\.slack\.com/services)/)[\w/-]{1,255}"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?P<kind>[A-Z ]{0,32}PRIVATE KEY(?: BLOCK)?)-----"
    r".*?(?:-----END (?P=kind)-----|\Z)",
    re.DOTALL,
)
_SCHEME = re.compile(r"(?P<head>\b(?:bearer|basic)[ \t]{1,8})[\w.~+/=-]{8,4096}", re.IGNORECASE)
_HEADER = re.compile(
    r"(?P<head>\b(?:proxy-authorization|authorization|cookie|set-cookie|x-api-key|private-token)"
    r"\\?['\"]?[ \t]{0,8}[:=][ \t]{0,8}\\?['\"]?)(?!(?:bearer|basic)\b)[^'\"\r\n]{1,4096}",
    re.IGNORECASE,
)
# Signed addresses: what signs them, and whose key it is.
_QUERY = re.compile(
    r"(?P<head>[?&](?:sig|signature|x-(?:amz|oss|goog|cos)-(?:signature|credential|security-token)"
    r"|awsaccesskeyid|ossaccesskeyid|security-token|key|code)=)[^&\s'\"<>]{1,4096}",
    re.IGNORECASE,
)
_TELLS = (
    r"(?:pass(?:word|wd|phrase)|secret|credential|token|api_?key|app_?key"
    r"|(?:db|user|smtp|redis|mysql|pg|root|admin|login)[_.-]?pass(?!\w)|(?:(?<![\w/.])|_)pwd(?!\w)"
    r"|(?:api|access|secret|private|signing|encrypt(?:ion)?|account|storage|master|ssh|wandb|license)"
    r"[_-]?keys?)"
)
_VALUE = r"(?:\\?'[^'\r\n]{0,4096}'|\\?\"[^\"\r\n]{0,4096}\"|(?:[^\s&;,'\"]|,(?=\S)){1,4096})"
_ASSIGNED = re.compile(
    rf"(?P<name>(?<![\w.-])[\w.-]{{0,64}}?{_TELLS}[\w.-]{{0,32}})"
    rf"(?P<between>\\?['\"]?\]?[ \t]{{0,8}}(?:=>|[=:：＝])[ \t]{{0,8}})(?P<value>{_VALUE})",
    re.IGNORECASE,
)
_OPTION = re.compile(
    rf"(?P<name>(?<![\w-])--?[\w.-]{{0,64}}?{_TELLS}[\w.-]{{0,32}})"
    rf"(?P<between>[ \t]{{1,8}}|\\?['\"][ \t]{{0,8}},[ \t]{{0,8}}(?=\\?['\"]))"
    rf"(?P<value>(?!\\?['\"]?-){_VALUE})",
    re.IGNORECASE,
)
_ELEMENT = re.compile(
    rf"(?P<name><[\w:.-]{{0,32}}?{_TELLS}[\w:.-]{{0,32}})"
    r"(?P<between>(?:[ \t][^<>\r\n]{0,200})?>)(?P<value>[^<\r\n]{1,4096})(?=</)",
    re.IGNORECASE,
)
_WORD = r"(?:'[^'\r\n]{1,4096}'|\"[^\"\r\n]{1,4096}\"|[^\s;&,'\"，。；、）]{1,4096})"
_CHINESE = re.compile(
    rf"(?P<head>(?:密码|口令|密钥|令牌)['\"]?[ \t]{{0,8}}[=:：＝][ \t]{{0,8}}){_WORD}"
)
_PASS = re.compile(rf"(?P<head>(?<![\w.-])PASS=)(?!(?:\d{{1,9}}|true|false|ok)(?:[\s,;]|$)){_WORD}")
# What these programs take as a password has no telling name; a mask in place of it stays.
_PROGRAM = re.compile(
    r"(?P<head>\b(?:(?:mysql\w{0,16}|mariadb[\w-]{0,16}|sshpass|(?:docker|podman)[ \t]{1,4}login)"
    r"\b[^\r\n|;&]{0,200}?[ \t]-p[ \t]{0,4}"
    r"|redis-cli\b[^\r\n|;&]{0,200}?[ \t]-a[ \t]{1,4}"
    r"|(?:curl|wget)\b[^\r\n|;]{0,300}?[ \t](?:-[uU]|--(?:proxy-)?user)[ \t=]{0,4}"
    r"['\"]?[^\s:'\"]{1,128}:))(?!-)"
    rf"(?:(?<=:)[^\s'\"]{{1,4096}}|(?<!:){_WORD})"
)
_WANDB = re.compile(r"(?P<head>\bwandb[ \t]{1,4}login\b[^\r\n]{0,100}?[ \t])[0-9A-Fa-f]{40,128}\b")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b")

# Names that only look telling: a tokenizer is a path, `eos_token` a word, `max_tokens` a number.
_HARMLESS = re.compile(
    r"tokeniz|tokens(?![a-z])|token[_-]?(?:id|len|num|count|per|drop|type|mean|level|dispatch)"
    r"|(?:eos|bos|pad|unk|cls|sep|mask|special|image|video|audio|stop|per|each|every)[_-]?token",
    re.IGNORECASE,
)
_TELLING = re.compile(_TELLS, re.IGNORECASE)
_NUMBER = re.compile(r"[\d.,eE+-]{1,20}[%)\]}]?$")
_NOTHING = frozenset({"none", "null", "true", "false", "''", '""', "nil", MASK})


def hide_known_forms(text: str) -> str:
    """Return a text without credentials in URLs, tokens of known forms and private keys."""
    text = _PRIVATE_KEY.sub(MASK, text)
    text = _URL.sub(rf"\g<head>{MASK}@", text)
    text = _HOOK.sub(rf"\g<head>{MASK}", text)
    return _TOKEN.sub(MASK, text)


def redact(text: str) -> str:
    """Return a text with everything that looks like a secret or an address replaced by `***`.

    For lines of logs and other prose, one or many: the rest of each line stays readable, and step
    lines (`max_tokens=4096`, `tokens: 12`) stay as they are.
    """
    text = hide_known_forms(text)
    text = _SCHEME.sub(rf"\g<head>{MASK}", text)
    text = _HEADER.sub(rf"\g<head>{MASK}", text)
    text = _QUERY.sub(rf"\g<head>{MASK}", text)
    for pattern in (_PROGRAM, _WANDB, _CHINESE, _PASS):
        text = pattern.sub(rf"\g<head>{MASK}", text)
    for pattern in (_ASSIGNED, _OPTION, _ELEMENT):
        text = pattern.sub(_hidden, text)
    return _MAIL.sub(MASK, text)


def _hidden(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"]
    if value.lower() in _NOTHING or _is_harmless(name, value):
        return match[0]
    return f"{name}{match['between']}{MASK}"


def _is_harmless(name: str, value: str) -> bool:
    rest = _HARMLESS.sub("", name)
    if not _TELLING.search(rest):
        return True
    if value.startswith("/") and "pwd" in name.lower():
        return True  # The working directory.
    counts = "token" in rest.lower() and not _TELLING.search(rest.lower().replace("token", ""))
    return counts and _NUMBER.match(value) is not None
