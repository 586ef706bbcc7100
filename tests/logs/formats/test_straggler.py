from rankscope.logs.formats.straggler import Straggler, read_straggler


def test_the_slowest_rank_is_named() -> None:
    line = "INFO: | MnRtt/Rnk: 500.25ms/5 | MxRtt/Rnk: 900.50ms/17 | MnPwr/Rnk: 402.11W/3"

    assert read_straggler(line) == Straggler(17, 900.5, 5, 500.25)


def test_other_lines_name_none() -> None:
    assert read_straggler("MxRtt/Rnk: broken") is None
    assert read_straggler("step 1") is None
