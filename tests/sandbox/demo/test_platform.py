from pathlib import Path

from sandbox.demo.platform import SENT, end_of_log


def test_the_end_of_a_log_is_sent_without_secrets_and_with_its_place(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    text = "".join(f"line {n} {'x' * 50}\n" for n in range(1, 3001)) + "password=hunter2\n"
    log.write_text(text)

    piece = end_of_log(log)

    assert len(piece.text) <= SENT
    assert piece.text.startswith(f"line {piece.first_line} ")
    assert "hunter2" not in piece.text


def test_a_short_log_is_sent_whole(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("a\nb\n")

    assert (end_of_log(log).text, end_of_log(log).first_line) == ("a\nb\n", 1)
