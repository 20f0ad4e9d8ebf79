#!/usr/bin/env python3
"""Read packed chunks and print their records: `chunks.py FILE...`, a chunk a line in hex (also gzipped), `-` is standard input.

Owns a second reading of "Packed chunks" in Docs/FORMAT.md, written from that page alone and sharing nothing with the
first. A record is a line `unix heart_rate [rr,rr] motion`, `-` where absent; a chunk that is none is a line `refused`.
"""
import gzip
import sys
import zlib
from pathlib import Path


class Refused(Exception):
    """These bytes are no chunk."""


class Bits:
    """Bits of bytes, highest first."""

    def __init__(self, data):
        self.text = ''.join(f'{byte:08b}' for byte in data)
        self.at = 0

    def take(self, width):
        if self.at + width > len(self.text):
            raise Refused('the bits end before the records')
        self.at += width
        return int(self.text[self.at - width:self.at] or '0', 2)

    def rest(self):
        return self.text[self.at:]


class Code:
    """The adaptive code of one kind of number."""

    def __init__(self, mean):
        self.sum = 16 * mean

    def take(self, bits):
        low = (self.sum // 32).bit_length()
        ones = 0
        while ones < 12 and bits.take(1):
            ones += 1
        number = bits.take(16) if ones == 12 else ones * 2 ** low + bits.take(low)
        self.sum += number - self.sum // 16
        return number


def swapped(number):
    return {0: 1, 1: 0}.get(number, number)


def unfolded(number):
    return -(number + 1) // 2 if number % 2 else number // 2


def within(number, least, most):
    if not least <= number <= most:
        raise Refused(f'{number} is not {least} to {most}')
    return number


def records(chunk):
    """The records of a chunk: (unix, heart rate or None, list of R-R intervals or None, motion or None)."""
    if len(chunk) < 11 or chunk[0] != 1:
        raise Refused('no chunk of version 1')
    if zlib.crc32(chunk[:-4]) != int.from_bytes(chunk[-4:], 'little'):
        raise Refused('checksum')
    count = within(int.from_bytes(chunk[1:3], 'little'), 1, 65535)
    first = int.from_bytes(chunk[3:7], 'little')
    bits = Bits(chunk[7:-4])
    steps, rates, counts, intervals, motions = Code(0), Code(4), Code(0), Code(64), Code(32)
    unix, present, rate, interval = first - 1, 0b111, 60, 1000
    found = []
    for _ in range(count):
        step = 1
        if bits.take(1):
            step = swapped(steps.take(bits))
            present = bits.take(3)
        unix += step
        slot = first // 300 * 300
        within(unix, slot if found else first, min(slot + 299 if found else first, 2 ** 32 - 1))
        record = [unix, None, None, None]
        if present & 4:
            rate = within(rate + unfolded(rates.take(bits)), 25, 230)
            record[1] = rate
        if present & 2:
            record[2] = []
            for _ in range(within(swapped(counts.take(bits)), 0, 255)):
                interval = within(interval + unfolded(intervals.take(bits)), 200, 2500)
                record[2].append(interval)
        if present & 1:
            record[3] = within(motions.take(bits), 0, 16000)
        found.append(tuple(record))
    if len(bits.rest()) > 7 or '1' in bits.rest():
        raise Refused('bits are left over')
    return found


def line(record):
    unix, rate, intervals, motion = ('-' if value is None else value for value in record)
    return f'{unix} {rate} {intervals} {motion}' if intervals == '-' else f'{unix} {rate} [{",".join(map(str, intervals))}] {motion}'


def main(paths):
    for path in paths:
        data = sys.stdin.buffer.read() if path == '-' else Path(path).read_bytes()
        text = (gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data).decode()
        for digits in text.split('\n'):
            if digits:
                try:
                    print('\n'.join(map(line, records(bytes.fromhex(digits)))))
                except Refused:
                    print('refused')


if __name__ == '__main__':
    main(sys.argv[1:])
