"""The strap's wire format: envelopes, their CRCs, and the inner layouts a strap sends.

Owns bytes only: it knows no radio, no flash and no time of its own. It imports nothing of the product, on purpose:
a client that agrees with this file agrees with WHOOP.md, not with itself. Offsets are into the inner record.
"""
import struct
import zlib
from enum import IntEnum

START, END, COMPLETE = 1, 2, 3
NO_TOKEN = b'\xff' * 8  # an END that says "nothing stored": never acknowledged
SUBSECONDS = 32768


class Family(IntEnum):
    FOUR = 4
    FIVE = 5


class FrameError(ValueError):
    """Bytes that are not one whole, undamaged frame; the text says which check failed."""


def crc8(data: bytes) -> int:
    """CRC-8, polynomial 0x07, initial value 0: the 4.0 header."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 0x07) & 0xFF if crc & 0x80 else crc << 1
    return crc


def crc16(data: bytes) -> int:
    """CRC-16/MODBUS: the 5.0 header."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0xA001 if crc & 1 else crc >> 1
    return crc


def pad(inner: bytes) -> bytes:
    return inner + bytes(-len(inner) % 4)


def wrap(family: Family, inner: bytes, to_strap: bool = False) -> bytes:
    """One frame around an inner record, padded to four bytes before length and CRC are taken."""
    inner = pad(inner)
    length = struct.pack('<H', len(inner) + 4)
    if family == Family.FOUR:
        header = b'\xaa' + length + bytes([crc8(length)])
    else:
        header = b'\xaa\x01' + length + (b'\x00\x01' if to_strap else b'\x01\x00')
        header += struct.pack('<H', crc16(header))
    return header + inner + struct.pack('<I', zlib.crc32(inner))


def header_size(family: Family) -> int:
    return 4 if family == Family.FOUR else 8


def total_size(family: Family, head: bytes) -> int | None:
    """Size of the frame that begins with `head`, None while the header is incomplete."""
    if len(head) < header_size(family):
        return None
    at, more = (1, 4) if family == Family.FOUR else (2, 8)
    return struct.unpack_from('<H', head, at)[0] + more


def unwrap(family: Family, frame: bytes) -> bytes:
    """The inner record of exactly one frame. Padding is not checked here: see `Firmware`."""
    size = header_size(family)
    if len(frame) < size + 4 or frame[0] != 0xAA:
        raise FrameError('no frame')
    if family == Family.FOUR:
        if frame[3] != crc8(frame[1:3]):
            raise FrameError('header CRC')
    elif struct.unpack_from('<H', frame, 6)[0] != crc16(frame[:6]):
        raise FrameError('header CRC')
    if total_size(family, frame) != len(frame):
        raise FrameError('length')
    inner = frame[size:-4]
    if struct.unpack('<I', frame[-4:])[0] != zlib.crc32(inner):
        raise FrameError('payload CRC')
    return inner


def command(seq: int, number: int, payload: bytes = b'\x00') -> bytes:
    return bytes([35, seq & 255, number]) + payload


def response(seq: int, number: int, echoed_seq: int, result: int, body: bytes = b'') -> bytes:
    return bytes([36, seq & 255, number, echoed_seq, result]) + body


def event(seq: int, number: int, unix: int, subsecond: int, body: bytes = b'') -> bytes:
    return struct.pack('<BBHIHH', 48, seq & 255, number, unix, subsecond, len(body)) + body


def realtime(unix: int, subsecond: int, bpm: int, rr_ms: list[int], worn: bool) -> bytes:
    intervals = (rr_ms[:4] + [0] * 4)[:4]
    return struct.pack('<BBIHBB4HBB', 40, 2, unix, subsecond, bpm, len(rr_ms[:4]), *intervals, worn, 0)


def heart_rate_measurement(bpm: int, rr_ms: list[int]) -> bytes:
    """The standard 2A37 value. Its R-R unit is 1/1024 s, not the milliseconds of the vendor's frames."""
    return bytes([0x10 if rr_ms else 0, bpm]) + b''.join(struct.pack('<H', round(rr * 1024 / 1000)) for rr in rr_ms)


# hardware family, two board words, firmware version, signal processor version
MODEL = {Family.FOUR: (6, 16, 2, 41, 17, 6, 0, 8, 5, 1), Family.FIVE: (13, 82, 0, 50, 40, 1, 0, 11, 1, 0)}


def history_start(model: tuple, seq: int, unix: int, subsecond: int = 0) -> bytes:
    return struct.pack('<BBBIH7I3B', 49, seq & 255, START, unix, subsecond, *model)


def history_end(seq: int, unix: int, frames: int, token: bytes, subsecond: int = 0) -> bytes:
    """`frames` is the number of frames since START that a client must have; `token` comes back in its acknowledgement."""
    return struct.pack('<BBBIHI8s3x', 49, seq & 255, END, unix, subsecond, frames, token)


def history_complete(seq: int, unix: int) -> bytes:
    return struct.pack('<BBBIH', 49, seq & 255, COMPLETE, unix, 0)
