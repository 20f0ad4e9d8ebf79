"""Generated frames: every packet type and record version with values at, beyond and far from each gate.

Owns chance, from a seed, so that a difference can be looked at twice. Every frame here is sealed with true CRCs;
`damaged` is what a link makes of such frames. Offsets come from WHOOP.md and not from the reading beside this file.
"""
import random
import struct

from envelope import Family, seal

NUMBERS = {
    'B': [0, 1, 2, 3, 4, 5, 8, 9, 24, 25, 69, 70, 94, 100, 101, 128, 230, 231, 255],
    'b': [-128, -127, -1, 0, 30, 127],
    'H': [0, 1, 49, 50, 51, 100, 101, 199, 200, 600, 2500, 2501, 32767, 32768, 65535],
    'h': [-32768, -32767, -5000, -1, 0, 49, 50, 450, 451, 499, 500, 3057, 4500, 4501, 32767],
    'I': [0, 1, 1000, 1001, 1100, 2999, 3000, 4300, 4301, 1_699_999_999, 1_700_000_000, 1_780_000_000, 0xFFFFFFFF],
    'i': [-524289, -524288, -1, 0, 378307, 524287, 524288, -2147483648, 2147483647],
    'f': [0.0, -0.0, 1e-40, 0.009, 0.3, 0.5, -0.5, 1.0, 1.8, -16.0, 16.0, 16.01, 1e30, float('inf'), float('nan')]}
RR_4, RR_5 = [(k, 'H') for k in range(19, 35, 2)], [(k, 'H') for k in range(16, 24, 2)]
HEAD = [(2, 'B'), (7, 'I'), (11, 'H')]
GRAVITY = [(offset, 'f') for offset in (32, 36, 40, 44, 48, 52, 56, 60)]
SUMMARY = [(17, 'B'), (18, 'B'), *RR_4[:4], (31, 'B'), *GRAVITY, (68, 'H'), (72, 'H'), (80, 'B'), (82, 'B'), (88, 'H')]
EIGHTEEN = [(14, 'B'), (15, 'B'), *RR_5, (25, 'B'), *[(k, 'f') for k in (33, 37, 41, 45, 105)], (49, 'H'), (55, 'B'),
            (61, 'h'), (63, 'h'), (65, 'h'), (73, 'B'), (74, 'B'), (100, 'b'), (101, 'b')]
PULSE = [(13, 'H'), (15, 'i'), (67, 'f'), (71, 'H'), (73, 'B'), (74, 'B')]
R10 = [(17, 'B'), (18, 'B'), *RR_4, *[(k, 'f') for k in (42, 46, 50, 54, 58)], (1293, 'H'), (1492, 'B')]
VERSIONS = {  # (family, version) -> inner bytes, fields worth an extreme
    (Family.FOUR, 5): (60, SUMMARY[:6]), (Family.FOUR, 7): (60, SUMMARY[:6]), (Family.FOUR, 9): (60, SUMMARY[:6]),
    (Family.FOUR, 10): (1920, R10), (Family.FOUR, 11): (1924, [(14 + 425 * k, 'B') for k in range(4)]),
    (Family.FOUR, 12): (88, SUMMARY[:-1]), (Family.FOUR, 18): (112, EIGHTEEN), (Family.FOUR, 24): (96, SUMMARY),
    (Family.FOUR, 25): (76, PULSE), (Family.FOUR, 99): (96, []), (Family.FOUR, 26): (76, PULSE),
    (Family.FIVE, 18): (112, EIGHTEEN), (Family.FIVE, 20): (2128, [(18 + 422 * k, 'B') for k in range(5)]),
    (Family.FIVE, 21): (1232, [(16, 'H'), (622, 'H')]), (Family.FIVE, 22): (176, [(121, 'f'), (123, 'f'), (75, 'f')]),
    (Family.FIVE, 26): (76, PULSE), (Family.FIVE, 77): (112, []), (Family.FIVE, 24): (96, SUMMARY)}
COMMANDS = [3, 7, 10, 11, 19, 22, 23, 26, 34, 35, 66, 67, 76, 98, 115, 116, 117, 118, 119, 120, 121, 128, 141, 145, 151, 153]
TEXTS = {35: [(19, 10)], 145: [(19, 11)], 76: [(8, 24)], 141: [(8, 24)], 151: [(13, 16)], 116: [(8, 32)], 118: [(8, 32)],
         119: [(6, 32), (38, 32)], 120: [(6, 32), (38, 32)], 121: [(6, 32), (38, 32)], 128: [(6, 32), (38, 32)]}
CHARGES = {26: [(5, 'H')], 34: [(14, 'I'), (18, 'I'), (26, 'I'), (38, 'I'), (62, 'I')], 35: [(6, 'I')], 145: [(6, 'I')],
           151: [(29, 'H')]}
EVENTS = [3, 9, 14, 17, 29, 56, 63, 100, 109, 110, 123, 300]


class Chance(random.Random):
    def inner(self, size, head, extremes=()):
        """Random bytes (or quiet ones) behind `head`, some of `extremes` poked in."""
        body = bytearray(self.randbytes(size) if self.random() < 0.7 else size * bytes([self.choice((0, 0, 255))]))
        for offset, code in extremes:
            if self.random() < 0.7:
                struct.pack_into('<' + code, body, offset, self.choice(NUMBERS[code]))
        body[:len(head)] = head
        return body

    def write(self, body, offset, size):
        text = ''.join(self.choices('Whoop strap_19', k=self.randrange(size + 1))).encode()
        body[offset:offset + size] = text.ljust(size, b'\0')

    def record(self, family, version, kind):
        size, extremes = VERSIONS[family, version]
        body = self.inner(size, bytes([kind, version]), HEAD + extremes)
        if version == 22:
            body[13] = self.randrange(8)
        if version in (25, 26) and self.random() < 0.7:  # a waveform that holds for a while
            struct.pack_into('<24h', body, 19, *(self.randint(-3000, 3000) for _ in range(24)))
        return body

    def response(self, family, command):
        head = [self.choice((36, 36, 36, 38)), self.randrange(256), command, self.randrange(256), self.choice((0, 1, 1, 1, 1, 2, 3)),
                self.choice((0, 1, 1, 1, 4, 255))]
        body = self.inner(140, bytes(head), CHARGES.get(command, []))
        for offset, size in TEXTS.get(command, []):
            self.write(body, offset, size)
        if command in (76, 141):
            body[7] = self.randrange(26)
        return body

    def event(self, family, kind, number):
        size = self.choice((0, 4, 12, 20, 28, 28, self.randrange(40)))
        body = self.inner(12 + size, bytes([kind, self.randrange(256)]) + struct.pack('<H', number), [(4, 'I'), (8, 'H')])
        for offset, code in ((13, 'I'), (17, 'I'), (17, 'H'), (19, 'h'), (35, 'H')):
            if offset + 4 <= len(body) and self.random() < 0.6:
                struct.pack_into('<' + code, body, offset, self.choice(NUMBERS[code]))
        if size:
            body[12] = self.choice((0, 1, 1, 2, 3))
        if kind == 50 and size:
            self.write(body, 13, size - 1)
        elif number == 109 and size == 28:
            self.write(body, 19, 16)
        struct.pack_into('<H', body, 10, size if self.random() < 0.9 else self.choice((0, size + 1, 300, 65535)))
        return body

    def others(self, family):
        """One of each packet that is neither a record, a response nor an event."""
        yield self.inner(20, b'\x28\x02', [(2, 'I'), (6, 'H'), (8, 'B'), (9, 'B'), *[(k, 'H') for k in (10, 12, 14, 16)]])
        for kind in (49, 56):
            yield self.inner(40, bytes([kind, 7, self.choice((0, 1, 2, 2, 3, 9))]), [(3, 'I'), (7, 'H'), (9, 'I'), (13, 'I'), (17, 'I')])
        for kind in (51, 52):
            body = self.inner(144, bytes([kind]), [(4, 'I')])
            struct.pack_into('<2H', body, 20, *self.choice(((10, 10), (10, 0), (0, 10), (20, 0), (11, 10), (65535, 3))))
            yield body
        for kind in (53, 55, self.choice((0, 37, 99, 200, 255))):
            yield self.inner(24, bytes([kind]))

    def bodies(self, family, rounds):
        for _ in range(rounds):
            for owner, version in VERSIONS:
                if owner is family:
                    yield self.record(family, version, self.choice((47, 47, 43)))
            for command in COMMANDS:
                yield self.response(family, command)
            for number in EVENTS:
                yield self.event(family, 48, number)
            for kind, number in ((50, 2), (54, self.choice((2, 2, 20, 7)))):
                yield self.event(family, kind, number)
            yield from self.others(family)


def sealed(seed, rounds):
    """(family, frame): whole inners, and one in four cut short before it was sealed, padded or not."""
    chance = Chance(seed)
    for family in Family:
        for body in chance.bodies(family, rounds):
            if chance.random() < 0.25:
                body = body[:chance.randint(1, len(body))]
            padded = bytes(body) + bytes(-len(body) % 4 if chance.random() < 0.9 else 0)
            yield family, seal(family, padded, revision=2 if chance.random() < 0.02 else 1)


def damaged(seed, frames):
    """Frames with one byte changed, or cut, or with a byte too many."""
    chance = Chance(seed)
    for family, frame in frames:
        frame = bytearray(frame)
        where = chance.randrange(len(frame))
        if chance.random() < 0.6:
            frame[where] ^= chance.randint(1, 255)
        elif chance.random() < 0.8:
            del frame[where:]
        else:
            del frame[where]
        yield family, bytes(frame)
