"""The strap's envelope in both families: header check, payload check, and frames out of a stream of notifications.

Owns SOF, lengths and CRCs (WHOOP.md 3.1 to 3.6). It never looks inside an inner record and never trusts a length
before the header CRC has vouched for it. Written from WHOOP.md alone; it imports nothing of the product.
"""
import zlib
from enum import Enum

SOF = 0xAA
LARGEST_FRAME = 4096  # WHOOP.md 3.5; the largest real frame has 2,140 bytes
SMALLEST_LENGTH = 5  # the length field counts the CRC-32; one inner byte is the least a frame can hold


class Family(str, Enum):
    FOUR = '4.0'
    FIVE = '5.0'

    @property
    def header(self):
        """Bytes before the inner record; also what the length field leaves out of the whole frame."""
        return 4 if self is Family.FOUR else 8


def crc8(data):
    """Polynomial 0x07, initial 0, not reflected: check("123456789") = 0xF4."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ (0x07 if crc & 0x80 else 0)) & 0xFF
    return crc


def crc16(data):
    """CRC-16/MODBUS: check("123456789") = 0x4B37."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return crc


def length_field(family, frame):
    at = 1 if family is Family.FOUR else 2
    return int.from_bytes(frame[at:at + 2], 'little')


def header_holds(family, frame):
    if len(frame) < family.header:
        return False
    if family is Family.FOUR:
        return frame[0] == SOF and crc8(frame[1:3]) == frame[3]
    return frame[0] == SOF and crc16(frame[:6]) == int.from_bytes(frame[6:8], 'little')


def inner(family, frame):
    """The inner record of exactly one whole frame, or None if any of its checks fails."""
    if not header_holds(family, frame):
        return None
    length = length_field(family, frame)
    if length < SMALLEST_LENGTH or len(frame) != length + family.header or len(frame) > LARGEST_FRAME:
        return None
    body, trailer = frame[family.header:-4], frame[-4:]
    return body if zlib.crc32(body) == int.from_bytes(trailer, 'little') else None


def seal(family, body, roles=b'\x01\x00', revision=1):
    """The frame around an inner record, as the strap would send it (no padding is added)."""
    length = (len(body) + 4).to_bytes(2, 'little')
    if family is Family.FOUR:
        head = bytes([SOF]) + length + bytes([crc8(length)])
    else:
        head = bytes([SOF, revision]) + length + roles
        head += crc16(head).to_bytes(2, 'little')
    return head + body + zlib.crc32(body).to_bytes(4, 'little')


class Stream:
    """Frames out of one characteristic's notifications. Resynchronises by one byte; 0xAA inside a payload is data."""

    def __init__(self, family):
        self.family = family
        self.buffer = b''

    def take(self, chunk):
        """The frames that `chunk` completes, in order."""
        self.buffer += chunk
        frames = []
        while True:
            start = self.buffer.find(SOF)
            self.buffer = b'' if start < 0 else self.buffer[start:]
            if len(self.buffer) < self.family.header:
                return frames
            length = length_field(self.family, self.buffer)
            total = length + self.family.header
            if not header_holds(self.family, self.buffer) or length < SMALLEST_LENGTH or total > LARGEST_FRAME:
                self.buffer = self.buffer[1:]
            elif len(self.buffer) < total:
                return frames
            elif inner(self.family, self.buffer[:total]) is None:
                self.buffer = self.buffer[1:]
            else:
                frames.append(self.buffer[:total])
                self.buffer = self.buffer[total:]  # zero filler that follows is skipped by the search for SOF
