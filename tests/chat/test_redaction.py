import pytest

from rankscope.chat.redaction import redact


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
        "all_reduce (/mnt/project/llama/ring.py:77)",
        "rank 5 (node-1): 2 of 8",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text
