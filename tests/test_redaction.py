import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.chat import redaction as of_chat
from rankscope.redaction import MASK, hide_known_forms, redact

KEY = "-----BEGIN RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "kept", "hidden"),
    [
        ("mail to ming.li@example.com now", "now", "ming.li"),
        ("s3 https://me:pw123@host/x", "host/x", "pw123"),
        ("WANDB_API_KEY=abc123 python", "python", "abc123"),
        ("--password hunter2 --lr 1", "--lr 1", "hunter2"),
        ("token: 'hf thing' end", "end", "hf thing"),
        ("Authorization: Bearer abcdefghijkl", "Authorization", "abcdefghijkl"),
        ("use hf_abcdefghijklmnopqrst here", "here", "abcdefghijklmnopqrst"),
        ("key AKIAABCDEFGHIJKLMNOP in", "in", "AKIAABCDEFGHIJKLMNOP"),
        ("t eyJhbGciOiJ9.eyJzdWIiOiIx.c2ln z", "z", "eyJzdWIiOiIx"),
        ("{'HF_TOKEN': 'abc def', 'lr': 1}", "'lr': 1", "abc def"),
        ("environ['DB_PASSWORD'] = 'pw1 pw2' # x", "# x", "pw1 pw2"),
        (r"body={\"api_key\": \"k-12\", \"n\": 1}", '"n', "k-12"),
        ("client_secret=ab,cd,ef next", "next", "cd"),
        ("Config(token=abcdef, page=2)", "page=2", "abcdef"),
        ("GET https://b/x?page=2&X-Amz-Signature=0a1b2c&y=3 403", "y=3 403", "0a1b2c"),
        ("GET https://b/x?Signature=aBc%2Fd= HTTP/1.1", "HTTP/1.1", "aBc"),
        ("Cookie: session=abc; other=def", "Cookie", "def"),
        ("curl -H 'Authorization: token abcdef' https://api", "https://api", "abcdef"),
        ("post https://open.feishu.cn/open-apis/bot/v2/hook/0a-1b failed", "failed", "0a-1b"),
        ("oss LTAI5tAbCdEfGhIjKlMn x", "x", "AbCdEf"),
        ("tool --ssh-key abc -p 1", "-p 1", "abc"),
        ("MYSQL_PWD=hunter2 mysql", "mysql", "hunter2"),
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nz",
            "z",
            "MIIE",
        ),
        ("mysql -h db -p hunter2 train", "-h db", "hunter2"),
        ("mysqldump -uroot -phunter2 --all", "-uroot", "hunter2"),
        ("redis-cli -p 6379 -a hunter2 ping", "-p 6379", "hunter2"),
        ("curl -sS -u ming:hunter2 https://host/x", "https://host/x", "hunter2"),
        ("curl --user 'ming:hunter 2' https://host/x", "ming", "hunter"),
        ("sshpass -p hunter2 ssh -p 22 host", "ssh -p 22 host", "hunter2"),
        ("sshpass -p 'hunter 2' ssh host", "ssh host", "hunter"),
        ("docker login -u ming -p hunter2 hub", "-u ming", "hunter2"),
        (f"wandb login --relogin {'0a' * 20}", "--relogin", "0a0a"),
        ("args=['--password', 'hunter2', '--lr', '1']", "'--lr', '1'", "hunter2"),
        ('["--token","hunter2","--lr","1"]', '"--lr","1"', "hunter2"),
        ("<host>db</host><password>hunter2</password>", "</password>", "hunter2"),
        ("password: hunter2 next", "next", "hunter2"),
        ("password：hunter2 next", "next", "hunter2"),
        ("数据库密码: hunter2 重试", "重试", "hunter2"),
        ("密码：hunter2，请重试", "请重试", "hunter2"),
        ("口令=hunter2 next", "next", "hunter2"),
        ("密钥:hunter2 next", "next", "hunter2"),
        ("AccountName=a;AccountKey=aGk=;EndpointSuffix=x", "EndpointSuffix=x", "aGk"),
        ("PASS=hunter2 ./run.sh", "./run.sh", "hunter2"),
        ("pay sk_live_0a1b2c3d4e5f end", "end", "0a1b2c"),
        ("cos AKIDz8krbsJ5yKBZQpn74WFkmLPx3 end", "end", "z8krbsJ5"),
        ("tos AKLTYWJjZGVmZ2hpamtsbW5v end", "end", "YWJjZGVm"),
        ("gcs ya29.a0AfH6SMBx-abcdefghijkl end", "end", "a0AfH6SMBx"),
        (
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOY\n-----END PGP PRIVATE KEY BLOCK-----\nz",
            "z",
            "lQOY",
        ),
        (f"{KEY}\nMIIE cut here", MASK, "MIIE"),
    ],
)
def test_secrets_and_addresses_are_hidden(text: str, kept: str, hidden: str) -> None:
    shown = redact(text)

    assert hidden not in shown
    assert kept in shown


@pytest.mark.parametrize(
    "text",
    [
        "tokenizer (transformers/tokenization_utils.py:5)",
        "max_tokens=4096",
        "eos_token: </s>, pad_token_id=0, total_tokens: 123",
        "step 5 | tokens: 4096 | token: 12 | tokens per gpu per second (tgs): 1500.2",
        "'num_input_tokens_seen': 40960, 'token_acc': 0.91",
        "KeyError: 'input_ids'; missing keys: ['a', 'b']",
        "PWD=/mnt/project OLDPWD=/root token=None",
        "password authentication failed for user",
        "RuntimeError: secret sauce is not a password",
        "commit 0a1b2c3 by torch @ rank 3",
        "forward_pass: 12 ms, first_pass=ok",
        "all_reduce (/mnt/project/llama/ring.py:77)",
        "rank 5 (node-1): 2 of 8",
        "docker run -p 8080:80 image; srun -p gpu train.sh",
        "['--tokenizer', '/mnt/t', '--max-tokens', '4096']",
        "登录密码错误：用户不存在",
        "PASS=12 FAIL=0",
        "mysql -h db -P 3306 is away",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_the_chats_redaction_is_the_same() -> None:
    assert of_chat.redact is redact


def test_what_is_a_secret_by_its_form_needs_no_name() -> None:
    text = "clone https://me:pw@host/x with ghp_abcdefghijklmnopqrstuv for a@b.cn, token=x"

    assert hide_known_forms(text) == f"clone https://{MASK}@host/x with {MASK} for a@b.cn, token=x"


@given(st.text(st.sampled_from(string.ascii_letters + string.digits + "+/_!#%"), min_size=6))
def test_no_value_of_a_secrets_name_gets_through(value: str) -> None:
    secret = f"q{value}z"
    for text in (
        f"DB_PASSWORD={secret} ok",
        f'{{"client_secret": "{secret}"}}',
        f"--api-key {secret} run",
        f"x-api-key: {secret}",
        f"postgres://me:{secret.replace('/', '')}@db/x",
    ):
        assert secret not in redact(text)


@given(st.text(max_size=300))
def test_twice_is_once(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "bad",
    [
        "a",
        "a.",
        "-",
        "_key",
        "a-",
        "token",
        "@",
        "'",
        "password=",
        "eyJ",
        "eyJ-",
        "curl ",
        "<",
        "密码",
        "--token ",
    ],
)
def test_a_hostile_line_of_a_megabyte_is_read_to_its_end(bad: str) -> None:
    assert redact(bad * (1_000_000 // len(bad)) + " end").endswith((" end", MASK))
