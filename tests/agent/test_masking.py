import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.masking import MASK, mask, mask_arguments


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("--token=abc", "--token=***"),
        ("--hf_token=abc", "--hf_token=***"),
        ("password=abc", "password=***"),
        ("db.password: abc", "db.password: ***"),
        ("key=abc", "key=***"),
        ("WANDB_API_KEY=abc", "WANDB_API_KEY=***"),
        ("s3://bucket/data", "s3://bucket/data"),
        ("https://me:pw@host/x?token=abc&page=2", "https://***@host/x?token=***&page=2"),
        ("AKIAIOSFODNN7EXAMPLE", "***"),
        ("x hf_abcdefghijklmnopqrst y", "x *** y"),
        ('{"secret": "abc"}', '{"secret": ***}'),
        ("--tokenizer=/models/bert", "--tokenizer=/models/bert"),
        ("--max_tokens=4096", "--max_tokens=4096"),
        ("--lr=1e-4", "--lr=1e-4"),
    ],
)
def test_one_text(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize("option", ["--token", "--password", "--api-key", "-key", "--wandb-key"])
def test_the_argument_after_a_telling_option_is_hidden(option: str) -> None:
    assert mask_arguments(["python", option, "abc", "--x"]) == ("python", option, MASK, "--x")


@pytest.mark.parametrize("option", ["--tokenizer", "--max-tokens", "--monkey", "train.py"])
def test_other_arguments_are_shown(option: str) -> None:
    assert mask_arguments([option, "abc"]) == (option, "abc")


def test_long_command_lines_are_cut() -> None:
    masked = mask_arguments(["x" * 1000] * 1000)
    assert len(masked) == 128
    assert {len(argument) for argument in masked} == {512}


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd"]), min_size=8))
def test_no_value_of_a_password_option_gets_through(value: str) -> None:
    shown = " ".join(mask_arguments([f"--db-password={value}", "--secret", value]))
    assert value not in shown.replace("--db-password", "").replace("--secret", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--header", "Authorization: Bearer s3cr3t-value"],
        ["--header", "Authorization: Basic s3cr3t-value"],
        ["-H", "authorization=Bearer s3cr3t-value and more"],
        ["--pwd", "s3cr3t-value"],
        ["--pass=s3cr3t-value"],
        ["--creds", "s3cr3t-value"],
        ["--auth", "user:s3cr3t-value"],
        ["--tokens-secret", "s3cr3t-value"],
        ["--tokenizer-secret-token=s3cr3t-value"],
        ["https://host/?sig=s3cr3t-value&x=1"],
        ["https://host/?X-Amz-Signature=s3cr3t-value"],
        ["--password", "--s3cr3t-value"],
    ],
)
def test_secrets_a_stranger_found_unmasked(arguments: list[str]) -> None:
    assert "s3cr3t-value" not in " ".join(mask_arguments(arguments))


@pytest.mark.parametrize("harmless", ["--author", "--passes", "--tokenizer", "--max_tokens"])
def test_options_that_only_sound_like_secrets_keep_their_value(harmless: str) -> None:
    assert mask_arguments([harmless, "value"]) == (harmless, "value")


def test_a_hostile_command_line_is_cut_before_it_is_searched() -> None:
    (masked,) = mask_arguments(["-" + "_key" * 1_000_000])

    assert len(masked) <= 512
    assert len(mask_arguments(["x"] * 1000)) == 128
