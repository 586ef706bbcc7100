"""Our frames beside the SDK's own, which Google's library writes and reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark_oapi.ws.pb.pbbp2_pb2 import Frame as SdkFrame

from sandbox.feishu.frames import CONTROL, DATA, BadFrame, Frame, decode, encode

frames = st.builds(
    Frame,
    method=st.sampled_from([CONTROL, DATA]),
    service=st.integers(0, 2**31 - 1),
    headers=st.dictionaries(st.text(), st.text()),
    payload=st.binary(),
    seq_id=st.integers(0, 2**64 - 1),
    log_id=st.integers(0, 2**64 - 1),
)


@given(frames)
def test_what_we_write_the_sdk_reads_and_the_other_way_round(frame: Frame) -> None:
    theirs = SdkFrame()
    theirs.ParseFromString(encode(frame))

    assert {header.key: header.value for header in theirs.headers} == frame.headers
    assert (theirs.SeqID, theirs.LogID) == (frame.seq_id, frame.log_id)
    assert (theirs.service, theirs.method) == (frame.service, frame.method)
    assert theirs.payload == frame.payload
    assert decode(theirs.SerializeToString()) == frame


def test_fields_we_do_not_know_are_skipped() -> None:
    theirs = SdkFrame(SeqID=1, LogID=2, service=3, method=DATA, LogIDNew="x" * 200)
    theirs.payload_encoding = "gzip"

    assert decode(theirs.SerializeToString()) == Frame(method=DATA, service=3, seq_id=1, log_id=2)


@given(st.binary())
def test_noise_is_no_frame(noise: bytes) -> None:
    try:
        decode(noise)
    except BadFrame:
        return
    theirs = SdkFrame()
    theirs.ParseFromString(noise)


@pytest.mark.parametrize("raw", [b"", b"\x08", b"\x0f\x01", b"\x2a\x05abc", b"\x2a\x00" * 2])
def test_what_is_cut_off_is_no_frame(raw: bytes) -> None:
    with pytest.raises(BadFrame):
        decode(raw)
