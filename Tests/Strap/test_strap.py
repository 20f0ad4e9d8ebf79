#!/usr/bin/env python3
"""The strap against WHOOP.md: its golden vectors (section 15), and the rules of the trim pointer. No radio, no Bumble.

    python3 -m unittest discover -s Tests/Strap
"""
import asyncio
import json
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frame
from firmware import Firmware
from flash import VECTORS, Flash
from frame import Family, command, unwrap, wrap

FOUR, FIVE = Family.FOUR, Family.FIVE
# recorded ENDs that announce more frames than the source kept
SHORT_SESSIONS = {'w5-hist-real-2', 'w4-hist-v24-composed', 'w4-hist-syn-interleaved', 'w5-hist-syn-bad-record'}
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


class Link:
    """Stands where the Bluetooth peripheral stands; keeps what the strap sent."""

    def __init__(self):
        self.sent, self.firmware, self.lost = [], None, 0

    async def notify(self, name, value):
        self.sent.append((name, value))
        await asyncio.sleep(0)
        return True

    def lose(self):
        self.lost += 1
        self.firmware.link_down()


class Log(list):
    def __call__(self, event, **fields):
        self.append({'event': event} | fields)

    def named(self, event):
        return [entry for entry in self if entry['event'] == event]


def strap(family=FOUR, flash=None, **changed):
    options = dict(rate=0, resend_after=5, clock=0.0, ignore_set_clock=False, broadcast=True, lose_link_after=None,
                   drop_frame=None, flip_bit_every=None)
    link = Link()
    link.firmware = Firmware(flash or Flash(family, 'night', records=120), link, Log(), SimpleNamespace(**options | changed))
    return link.firmware, link


def run(test):
    return lambda self: asyncio.run(test(self))


async def settle(condition, seconds=2.0):
    for _ in range(int(seconds / 0.005)):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError('did not happen')


async def tell(firmware, number, payload=b'\0', seq=1):
    await firmware.receive(wrap(firmware.family, command(seq, number, payload), to_strap=True))


def answers(link, family, number):
    inners = [unwrap(family, value) for name, value in link.sent if name == 'response']
    return [inner for inner in inners if inner[2] == number]


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


class Ring(unittest.TestCase):
    def test_the_night_is_whole(self):
        flash = Flash(FOUR, 'night')
        inners = [unwrap(FOUR, one) for burst in flash.bursts for one in burst.frames]
        records = [inner for inner in inners if inner[0] == 47]
        self.assertEqual(len(records), 12984)
        self.assertEqual(len({(r[1], r[3:7], r[7:11]) for r in records}), 12984)
        self.assertEqual(len({burst.token for burst in flash.bursts}), len(flash.bursts))
        self.assertEqual([unwrap(FOUR, one)[2] for one in flash.tail], [frame.COMPLETE])

    def test_every_end_announces_what_was_sent(self):
        sessions = json.loads((VECTORS / 'history_sessions.json').read_text())
        served = [(FOUR, 'night'), (FIVE, 'night'), *((Family(int(s['family'][0])), s['id']) for s in sessions)]
        for family, name in served:
            for burst in Flash(family, name, records=120).bursts:
                if burst.token in (None, frame.NO_TOKEN):
                    continue
                kinds = []
                for one in burst.frames[:-1]:
                    try:
                        kinds.append(unwrap(family, one)[0])
                    except frame.FrameError:
                        pass
                announced = struct.unpack_from('<I', unwrap(family, burst.frames[-1]), 9)[0]
                self.assertEqual(sum(kind in {47, 48, 50, 53, 54, 55} for kind in kinds), announced, name)

    def test_sessions_are_served_to_the_byte(self):
        for session in json.loads((VECTORS / 'history_sessions.json').read_text()):
            flash = Flash(Family(int(session['family'][0])), session['id'])
            served = [one.hex() for burst in flash.bursts for one in burst.frames] + [one.hex() for one in flash.tail]
            recorded = [f['hex'] for f in session['frames'] if f['dir'] == 'in' and f['char'] == 'data']
            differ = sum(a != b for a, b in zip(served, recorded, strict=True))
            self.assertEqual(differ > 0, session['id'] in SHORT_SESSIONS, session['id'])

    def test_five_numbers_its_bursts(self):
        for burst in Flash(FIVE, 'night', records=120).bursts:
            first, last = unwrap(FIVE, burst.frames[0]), unwrap(FIVE, burst.frames[-1])
            self.assertEqual((last[1] - first[1] - 1) % 256, len(burst.frames) - 2)

    def test_a_five_stores_what_the_four_measured(self):
        for four, five in zip(*(Flash(family, 'night', records=120).bursts for family in Family)):
            for old, new in zip(four.frames[1:-1], five.frames[1:-1], strict=True):
                old, new = unwrap(FOUR, old), unwrap(FIVE, new)
                self.assertEqual((len(new), new[1], new[3:13]), (112, 18, old[3:13]))
                self.assertEqual(new[14:24], old[17:27])  # heart rate, R-R count, R-R
                self.assertEqual(new[33:49], old[32:48])  # dynamic acceleration, acceleration mean
                self.assertEqual(struct.unpack_from('<h', new, 65)[0], struct.unpack_from('<H', old, 72)[0] * 10)

    def test_new_seconds_survive_and_count_on(self):
        with tempfile.TemporaryDirectory() as folder:
            state = Path(folder) / 'state.json'
            flash = Flash(FOUR, 'night', state, records=120)
            flash.bank(1800000000, 60)
            flash.bank(1800000900, 10)
            again = Flash(FOUR, 'night', state, records=120)
            self.assertEqual([b.frames for b in again.bursts], [b.frames for b in flash.bursts])
            records = [unwrap(FOUR, one) for burst in flash.bursts for one in burst.frames[1:-1]]
            counters, times = zip(*(struct.unpack_from('<II', record, 3) for record in records[119:]))
            self.assertEqual(list(counters), list(range(counters[0], counters[0] + 71)))
            self.assertEqual((times[1], times[60], times[-1]), (1799999941, 1800000000, 1800000900))

    def test_data_range(self):
        flash = Flash(FOUR, 'night', records=120)
        flash.release(flash.current.token)
        body = flash.data_range()
        self.assertEqual(len(body), 65)
        _, read, write, trim, wraps, total, used = struct.unpack_from('<7I', body, 1)
        self.assertEqual((read, (write - trim) % total, wraps, total, used), (trim, 10, 16, 131072, 70))
        self.assertEqual(trim, struct.unpack('<I', flash.bursts[0].token[:4])[0])


class Offload(unittest.TestCase):
    """The trim pointer moves for the exact acknowledgement and for nothing else."""

    async def serve_one(self, family=FOUR, **changed):
        firmware, link = strap(family, **changed)
        await tell(firmware, 22)
        await settle(lambda: firmware.offered)
        return firmware, link

    @run
    async def test_exact_acknowledgements_release_everything(self):
        for family in Family:
            firmware, link = strap(family)
            await tell(firmware, 22)
            for burst in firmware.flash.bursts:
                await settle(lambda: firmware.offered and firmware.offered[0] == burst.token)
                await tell(firmware, 23, b'\x01' + burst.token, seq=9)
            await settle(lambda: firmware.log.named('served'))
            self.assertEqual(firmware.flash.trim, 3)
            self.assertEqual(sum(1 for _, value in link.sent if unwrap(family, value)[0] == 47), 120)
            self.assertEqual(unwrap(family, link.sent[-1][1])[:3:2], bytes([49, frame.COMPLETE]))
            echoed = {inner[3] for inner in answers(link, family, 23)}
            self.assertEqual(echoed, {0} if family == FOUR else {9})

    @run
    async def test_no_other_bytes_release_anything(self):
        for family in Family:
            firmware, link = await self.serve_one(family)
            token = firmware.flash.current.token
            good = wrap(family, command(9, 23, b'\x01' + token), to_strap=True)
            wrong = [good[:-1] + bytes([good[-1] ^ 1]), good[:-1],
                     wrap(family, command(9, 23, b'\x01' + bytes(8)), to_strap=True),
                     wrap(family, command(9, 23, b'\x01' + token + b'\0'), to_strap=True),
                     wrap(family, command(9, 23, b'\x02' + token), to_strap=True),
                     wrap(family, command(9, 22 + 2, b'\x01' + token), to_strap=True),
                     wrap(family, command(9, 23, b'\x01' + token[:4]), to_strap=True)]
            for data in wrong:
                await firmware.receive(data)
                self.assertEqual(firmware.flash.trim, 0, data.hex())
            await firmware.receive(good)
            self.assertEqual(firmware.flash.trim, 1)
            firmware.link_down()

    @run
    async def test_acknowledgement_before_its_end_or_on_another_link_is_nothing(self):
        firmware, link = strap()
        token = firmware.flash.current.token
        await tell(firmware, 23, b'\x01' + token)
        await tell(firmware, 22)
        await settle(lambda: firmware.offered)
        firmware.link_down()
        await tell(firmware, 23, b'\x01' + token)
        self.assertEqual(firmware.flash.trim, 0)
        self.assertEqual([e['why'] for e in firmware.log.named('ack_ignored')], ['no END is waiting'] * 2)

    @run
    async def test_the_same_burst_again_without_acknowledgement(self):
        async def refuse(firmware):
            await tell(firmware, 23, b'\0\0')

        async def abort(firmware):
            await tell(firmware, 20)
            await tell(firmware, 23, b'\x01' + firmware.flash.current.token)  # too late
            await tell(firmware, 22)

        async def nothing(firmware):
            pass
        for act, changed in ((refuse, {}), (abort, {}), (nothing, {'resend_after': 0.05})):
            firmware, link = await self.serve_one(**changed)
            first = [value for name, value in link.sent if name == 'data']
            link.sent.clear()
            await act(firmware)
            await settle(lambda: len(firmware.log.named('end')) == 2)
            self.assertEqual([value for name, value in link.sent if name == 'data'][:len(first)], first, act.__name__)
            self.assertEqual(firmware.flash.trim, 0)
            firmware.link_down()

    @run
    async def test_the_pointer_survives_in_the_state_file(self):
        with tempfile.TemporaryDirectory() as folder:
            state = Path(folder) / 'state.json'
            firmware, link = strap(flash=Flash(FOUR, 'night', state, records=120))
            await tell(firmware, 22)
            await settle(lambda: firmware.offered)
            token = firmware.flash.current.token
            await tell(firmware, 23, b'\x01' + token)
            firmware.link_down()
            again = Flash(FOUR, 'night', state, records=120)
            self.assertEqual((again.trim, again.saved['released']), (1, [token.hex()]))

    @run
    async def test_handshake_during_an_offload_stops_it(self):
        firmware, link = await self.serve_one()
        await tell(firmware, 35)
        self.assertIsNone(firmware.offload)
        self.assertEqual(len(firmware.log.named('offload_stopped')), 1)

    @run
    async def test_faults(self):
        firmware, link = await self.serve_one(drop_frame=3)
        self.assertEqual(len([1 for name, _ in link.sent if name == 'data']), 51)
        firmware, link = await self.serve_one(flip_bit_every=10)
        damaged = 0
        for name, value in link.sent:
            try:
                unwrap(FOUR, value)
            except frame.FrameError:
                damaged += 1
        self.assertEqual(damaged, 5)
        firmware, link = strap(lose_link_after=7)
        await tell(firmware, 22)
        await settle(lambda: link.lost)
        self.assertEqual(len([1 for name, _ in link.sent if name == 'data']), 6)
        self.assertIsNone(firmware.offload)


class Answers(unittest.TestCase):
    @run
    async def test_result_codes_of_each_family(self):
        expected = {(FOUR, 22): [2], (FIVE, 22): [1], (FOUR, 3): [2], (FIVE, 3): [1], (FOUR, 34): [1], (FIVE, 34): [2, 1],
                    (FOUR, 145): [3], (FIVE, 35): [3], (FIVE, 79): [3], (FOUR, 79): [1], (FIVE, 19): [2], (FOUR, 153): [3]}
        for (family, number), results in expected.items():
            firmware, link = strap(family)
            await tell(firmware, number, seq=7)
            got = answers(link, family, number)
            self.assertEqual([inner[4] for inner in got], results, (family, number))
            self.assertEqual({inner[3] for inner in got}, {7})
            firmware.link_down()

    @run
    async def test_hello_layouts(self):
        firmware, link = strap(FOUR)
        await tell(firmware, 35)
        body = answers(link, FOUR, 35)[0][5:]
        self.assertEqual((len(body), body[0], body[14:23], body[78], body[90]), (131, 4, b'4C0000001', 6, 41))
        firmware, link = strap(FIVE)
        await tell(firmware, 145, b'\1')
        pending, final = answers(link, FIVE, 145)
        body = final[5:]
        self.assertEqual((pending[4], len(body), body[0], body[14:24], body[79], body[91:94]),
                         (2, 104 + 3, 1, b'5AG0000001', 13, bytes([50, 40, 1])))

    @run
    async def test_clock_is_read_back_and_an_unpadded_write_is_nothing(self):
        for quirk in (False, True):
            firmware, link = strap(clock=-90000.0, ignore_set_clock=quirk)
            unpadded = command(3, 10, T + bytes(4))
            header = struct.pack('<H', len(unpadded[:-1]) + 4)
            inner = unpadded[:-1]
            await firmware.receive(b'\xaa' + header + bytes([frame.crc8(header)]) + inner
                                   + struct.pack('<I', frame.zlib.crc32(inner)))
            self.assertEqual([e['why'] for e in firmware.log.named('command_ignored')], ['not padded'])
            await tell(firmware, 10, T + bytes(4))
            await tell(firmware, 11)
            read = struct.unpack_from('<I', answers(link, FOUR, 11)[0], 5)[0]
            self.assertEqual(abs(read - 1767225600) < 2, not quirk)
            events = [unwrap(FOUR, value)[2] for name, value in link.sent if name == 'event']
            self.assertEqual(events, [] if quirk else [16])

    @run
    async def test_live_heart_rate_only_while_armed(self):
        firmware, link = strap(broadcast=False)
        await firmware.beat(72)
        self.assertEqual(link.sent, [])
        await tell(firmware, 3, b'\1')
        link.sent.clear()
        await firmware.beat(72)
        self.assertEqual([name for name, _ in link.sent], ['heart_rate', 'data'])
        self.assertEqual(unwrap(FOUR, link.sent[1][1])[8:10], bytes([72, 1]))

    @run
    async def test_a_command_in_pieces(self):
        firmware, link = strap(FIVE)
        whole = wrap(FIVE, command(1, 141, b'\1'), to_strap=True)
        await firmware.receive(whole[:11])
        self.assertEqual(link.sent, [])
        await firmware.receive(whole[11:])
        self.assertEqual(len(answers(link, FIVE, 141)), 1)

    @run
    async def test_forbidden_commands_are_marked(self):
        firmware, link = strap()
        for number in (25, 96, 26):
            await tell(firmware, number)
        self.assertEqual([e['forbidden'] for e in firmware.log.named('command')], [True, True, False])


if __name__ == '__main__':
    unittest.main()
