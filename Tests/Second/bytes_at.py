"""Fields at fixed offsets of an inner record, and the gates that a value must pass to be believed.

Owns number formats (little-endian, WHOOP.md 0) and the sanity gates of WHOOP.md 8.12. A field that lies beyond the
record's end, or that a gate rejects, is None: absent, never zero and never an error.
"""
import math
import struct

FIRST_TIME = 1_700_000_000  # WHOOP.md 8.12: earlier is a strap whose clock was never set
LARGEST_ACCELERATION_G = 16.0  # both of the mean and of its change, WHOOP.md 8.7


class Record:
    """An inner record (or a body inside one) read by offset."""

    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def many(self, code, offset, count):
        """`count` numbers of one struct code, or None unless all of them lie inside."""
        layout = struct.Struct(f'<{count}{code}')
        if count < 0 or offset + layout.size > len(self.data):
            return None
        return list(layout.unpack_from(self.data, offset))

    def one(self, code, offset):
        numbers = self.many(code, offset, 1)
        return numbers[0] if numbers else None

    def u8(self, offset):
        return self.one('B', offset)

    def i8(self, offset):
        return self.one('b', offset)

    def u16(self, offset):
        return self.one('H', offset)

    def i16(self, offset):
        return self.one('h', offset)

    def u32(self, offset):
        return self.one('I', offset)

    def i32(self, offset):
        return self.one('i', offset)

    def f32(self, offset):
        return finite(self.one('f', offset))

    def vector(self, offset):
        """Three finite floats or None."""
        numbers = self.many('f', offset, 3)
        return numbers if numbers and all(map(math.isfinite, numbers)) else None

    def text(self, offset, size):
        """A NUL-terminated text in a field of `size` bytes."""
        if offset + size > len(self.data):
            return None
        return self.data[offset:offset + size].split(b'\0')[0].decode(errors='replace')

    def hex(self, offset, size=None):
        end = len(self.data) if size is None else offset + size
        return self.data[offset:end].hex() if offset <= end <= len(self.data) else None


def finite(number):
    return number if number is not None and math.isfinite(number) else None


def within(number, low, high):
    return number if number is not None and low <= number <= high else None


def scaled(number, unit):
    return None if number is None else number / unit


def bits(number, shift, mask):
    return None if number is None else number >> shift & mask


def heart_rate(number):
    return within(number, 25, 230)


def beats(record, offset, most=4):
    """R-R intervals (ms): count byte at `offset`, values after it. More than `most` declared: none is believed."""
    count = within(record.u8(offset), 0, most)
    intervals = record.many('H', offset + 1, count) if count is not None else None
    return None if intervals is None else [ms for ms in intervals if 200 <= ms <= 2500]


def motion(number):
    """Dynamic acceleration (g). 8.7 states the gate once, for a quantity that all records share."""
    return within(number, 0, LARGEST_ACCELERATION_G)


def flag(byte):
    """A byte of which 1 alone means yes."""
    return None if byte is None else int(byte == 1)


def gravity(numbers, by_norm):
    """Acceleration mean (g). 4.0: 0.5 to 1.8 g in all (`by_norm`); 5.0: each axis within 16 g."""
    if numbers is None:
        return None
    if by_norm:
        return numbers if 0.5 <= math.sqrt(sum(g * g for g in numbers)) <= 1.8 else None
    return numbers if all(abs(g) <= LARGEST_ACCELERATION_G for g in numbers) else None


def skin_temperature(raw, unit):
    return within(scaled(raw, unit), 5, 45)


def part_temperature(tenths):
    """Of a cell or a board, which WHOOP.md gives no gate: what electronics are rated for, -40 to 85 °C."""
    return within(scaled(tenths, 10), -40, 85)


def blood_oxygen(byte):
    return within(byte, 70, 100)


def charge(tenths):
    """State of charge in percent from tenths."""
    return within(scaled(tenths, 10), 0, 100)
