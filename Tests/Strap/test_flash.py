"""What the strap stores: the whole night, the recorded sessions to the byte, counts that are true, and what survives."""
import json
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import frame
from flash import VECTORS, Flash
from frame import Family, unwrap

FOUR, FIVE = Family.FOUR, Family.FIVE
# recorded ENDs that announce more frames than the source kept
SHORT_SESSIONS = {'w5-hist-real-2', 'w4-hist-v24-composed', 'w4-hist-syn-interleaved', 'w5-hist-syn-bad-record'}


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

    def test_exchanged_contents_begin_anew_and_may_be_short(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'strap.json'
            flash = Flash(FOUR, 'night', path, records=120)
            flash.saved['bonds']['a'] = {}
            flash.release(flash.current.token)
            flash.exchange('w4-hist-v24-composed', as_recorded=True)
            announced = struct.unpack_from('<I', unwrap(FOUR, flash.bursts[0].frames[-1]), 9)[0]
            self.assertEqual((flash.trim, announced, flash.bursts[0].records), (0, 51, 1))
            again = Flash(FOUR, 'w4-hist-v24-composed', path)
            self.assertEqual((again.trim, list(again.saved['bonds'])), (0, ['a']))
            with self.assertRaises(ValueError):
                flash.exchange('w5-hist-real-1')
            self.assertEqual(flash.serve, 'w4-hist-v24-composed')

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


if __name__ == '__main__':
    unittest.main()
