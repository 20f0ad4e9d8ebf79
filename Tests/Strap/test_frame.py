"""The strap's encoder against the golden vectors of WHOOP.md (3.7, 3.8, 15): the frames, to the byte."""
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frame
from frame import Family, command, unwrap, wrap

FOUR, FIVE = Family.FOUR, Family.FIVE
T = struct.pack('<I', 1767225600)
TOKEN_4, TOKEN_5 = bytes.fromhex('c7b6000010000000'), bytes.fromhex('fdba010010000000')

# (family, seq, command, payload, frame): WHOOP.md 15.1 and 15.2
COMMANDS = [
    (FOUR, 1, 26, b'\0', 'aa0800a823011a00204f2c22'),
    (FOUR, 0, 35, b'\0', 'aa0800a823002300ada86a2d'),
    (FOUR, 1, 76, b'\0', 'aa0800a823014c00f2b5cdce'),
    (FOUR, 3, 10, T + b'\0\x40\0\0', 'aa10005723030a00b9556900400000009c340196'),
    (FOUR, 3, 10, T + b'\0\x40\0\0\0', 'aa10005723030a00b9556900400000009c340196'),
    (FOUR, 7, 22, b'\0', 'aa0800a8230716009e7c148a'),
    (FOUR, 7, 22, b'', 'aa0800a8230716009e7c148a'),
    (FOUR, 8, 23, b'\1' + TOKEN_4, 'aa10005723081701c7b6000010000000dbc36f1f'),
    (FOUR, 9, 23, b'\0\0', 'aa0c00fc23091700000000002ccd9099'),
    (FOUR, 11, 3, b'\1', 'aa0800a8230b03017853bcc3'),
    (FOUR, 13, 66, b'\1' + T + b'\0\0', 'aa100057230d420100b9556900000000b5c7562f'),
    (FOUR, 17, 79, b'\2\0\0\0\0', 'aa0c00fc23114f02000000007fc6bc57'),
    (FIVE, 1, 145, b'\1', 'aa0108000001e67123019101363e5c8d'),
    (FIVE, 3, 10, T + b'\0\x40\0\0', 'aa0110000001e0d123030a00b9556900400000009c340196'),
    (FIVE, 8, 23, b'\1' + TOKEN_5, 'aa0110000001e0d123081701fdba010010000000bf359e07'),
    (FIVE, 9, 23, b'\0\0', 'aa010c000001e74123091700000000002ccd9099'),
    (FIVE, 13, 66, bytes.fromhex('0401') + T + bytes.fromhex('00002f980000000000000000071e00'),
     'aa011c000001e381230d42040100b9556900002f980000000000000000071e00c98ac25d'),
    (FIVE, 17, 19, bytes.fromhex('01' '2f98000000000000' '0000' '01'), 'aa0114000001e1e1231113012f98000000000000000001009665faf8'),
    (FIVE, 23, 97, b'\0', 'aa0108000001e67123176100df304cf6'),
]

# (family, inner as our encoder builds it, frame as a real strap sent it): WHOOP.md 3.7, 3.8 and 15.3
INBOUND = [
    (FOUR, frame.event(0x7E, 9, 1735322050, 0x5D68), 'aa100057307e0900c2e96e67685d0000a2a61c12'),
    (FIVE, frame.event(0x34, 14, 1780910464, 0x2A3D), 'aa0110000100208130340e008089266a3d2a000030b8df92'),
    (FIVE, frame.response(0xBD, 34, 0x98, 2), 'aa010c000100271124bd229802000000c29da758'),
    (FOUR, frame.history_end(0x37, 1735831144, 50, TOKEN_4, 0x2D70), 'aa1c00ab31370268ae7667702d32000000c7b6000010000000000000e01eba47'),
    (FIVE, frame.history_end(0x91, 1784236473, 59, TOKEN_5, 0x5D70), 'aa011c00010023d1319102b949596a705d3b000000fdba010010000000000000f269faec'),
    (FOUR, frame.history_start((6, 16, 2, 41, 16, 3, 0, 8, 2, 0), 1, 1736702790, 0x4C40),
     'aa2c005231010146fb8367404c0600000010000000020000002900000010000000030000000000000008020055fd251d'),
    (FIVE, frame.realtime(1780916382, 0x47AE, 98, [603, 587], True), 'aa011800010022e128029ea0266aae4762025b024b020000000001005ed515dc'),
]


class Envelope(unittest.TestCase):
    def test_crc_check_values(self):
        digits = b'123456789'
        self.assertEqual((frame.crc8(digits), frame.crc16(digits)), (0xF4, 0x4B37))

    def test_commands_are_the_golden_frames(self):
        for family, seq, number, payload, golden in COMMANDS:
            self.assertEqual(wrap(family, command(seq, number, payload), to_strap=True).hex(), golden)

    def test_strap_frames_are_the_golden_frames(self):
        for family, inner, golden in INBOUND:
            self.assertEqual(wrap(family, inner).hex(), golden)

    def test_any_flipped_byte_is_refused(self):
        for family, *_, golden in COMMANDS:
            good = bytes.fromhex(golden)
            unwrap(family, good)
            for at in range(len(good)):
                with self.assertRaises(frame.FrameError):
                    unwrap(family, good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1:])

    def test_heart_rate_interval_unit(self):
        self.assertEqual(frame.heart_rate_measurement(60, [1000]), b'\x10\x3c\x00\x04')


if __name__ == '__main__':
    unittest.main()
