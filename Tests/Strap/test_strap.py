#!/usr/bin/env python3
"""What the strap does: the rules of the trim pointer, its answers in either family, its faults. No radio, no Bumble.

    python3 Tests/Strap/test_strap.py           runs this folder's other tests too
"""
import asyncio
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frame
from firmware import Firmware
from flash import Flash
from frame import Family, command, unwrap, wrap

FOUR, FIVE = Family.FOUR, Family.FIVE
T = struct.pack('<I', 1767225600)


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
    options = dict(rate=0, resend_after=5, clock=0.0, ignore_set_clock=False, broadcast=True, lose_link_after=None, lose_link_every=None,
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
    async def test_the_fastest_acknowledgement_counts(self):
        firmware, link = strap(rate=2000)
        notify = link.notify

        async def acknowledging(name, value):
            await notify(name, value)
            inner = unwrap(FOUR, value)
            if inner[:3:2] == bytes([49, frame.END]):
                await tell(firmware, 23, b'\x01' + inner[13:21])
        link.notify = acknowledging
        await tell(firmware, 22)
        await settle(lambda: firmware.log.named('served'))
        self.assertEqual((len(firmware.log.named('ack')), len(firmware.log.named('ack_ignored'))), (3, 0))

    @run
    async def test_other_history_ends_the_old_with_complete(self):
        firmware, link = await self.serve_one(lose_link_every=200)
        await firmware.exchange('w4-hist-real-1', False)
        self.assertIsNone(firmware.offered)
        self.assertEqual(unwrap(FOUR, link.sent[-1][1])[:3:2], bytes([49, frame.COMPLETE]))
        await tell(firmware, 22)
        await settle(lambda: firmware.offered)
        self.assertEqual((firmware.offered[0], link.lost), (firmware.flash.bursts[0].token, 0))
        firmware.link_down()

    @run
    async def test_the_link_is_lost_again_and_again(self):
        firmware, link = strap(lose_link_every=30)
        for losses in 1, 2:
            await tell(firmware, 22)
            await settle(lambda: link.lost == losses)
        self.assertEqual(firmware.packets, 60)

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
    unittest.main(module=None, argv=[sys.argv[0], 'discover', '-s', str(Path(__file__).resolve().parent), *sys.argv[1:]])
