"""The strap's flash ring: the bursts it still holds and the trim pointer that says how far they are released.

Owns what survives link loss and power loss: the pointer, the bonds and the strap's settings live in one JSON file that
is replaced atomically. It must never move the pointer by itself: only an exact acknowledgement (Firmware) may do that.
"""
import gzip
import json
import os
import struct
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import frame
from frame import Family

VECTORS = Path(__file__).resolve().parent.parent / 'Vectors'
COUNTED = {47, 48, 50, 53, 54, 55}  # packet types that an END's count includes
PAGES_TOTAL = 131072
PAGES_PER_BURST = 5
FIRST_PAGE, WRAPS = 46791, 16


@dataclass
class Burst:
    frames: list[bytes]  # START to END, as they go on the air
    token: bytes | None  # None: the END is damaged and cannot be acknowledged
    records: int


class Flash:
    def __init__(self, family: Family, serve: str = 'night', state: Path | None = None, records: int | None = None,
                 burst_size: int = 50):
        self.family, self.path = family, state
        self.saved = {'serve': f'{int(family)}/{serve}', 'released': [], 'trim': 0, 'bonds': {}, 'settings': {}, 'banked': []}
        if state and state.exists():
            saved = json.loads(state.read_text())
            if saved['serve'] != self.saved['serve']:
                raise SystemExit(f'{state} belongs to a strap that serves {saved["serve"]}')
            self.saved = saved
        self.records, self.size = records, burst_size
        self._fill(serve)

    def exchange(self, serve: str, as_recorded: bool = False) -> None:
        """Other contents under the same bonds: the trim pointer begins anew. With `as_recorded` short bursts stay short."""
        self._fill(serve, as_recorded)
        self.saved |= {'serve': f'{int(self.family)}/{serve}', 'released': [], 'trim': 0, 'banked': []}
        self.save()

    def _fill(self, serve: str, as_recorded: bool = False) -> None:
        if serve != 'night':
            frames = self._recording(serve)
        self.times: list[int] = []  # (oldest, newest) per burst, flattened
        self.tail: list[bytes] = []  # what follows the last acknowledgement: COMPLETE, console, or nothing
        self.serve, self.as_recorded = serve, as_recorded
        self.bursts = self._night() if serve == 'night' else self._session(frames)

    # -- the trim pointer

    @property
    def trim(self) -> int:
        """Index of the first burst that is not released."""
        return self.saved['trim']

    @property
    def current(self) -> Burst | None:
        return self.bursts[self.trim] if self.trim < len(self.bursts) else None

    def release(self, token: bytes | None) -> None:
        """Move the pointer past the current burst; it is gone for ever once the file is written."""
        self.saved['trim'] += 1
        if token is not None:
            self.saved['released'].append(token.hex())
        self.save()

    def save(self) -> None:
        if self.path:
            temporary = self.path.with_name(self.path.name + '.new')
            temporary.write_text(json.dumps(self.saved))
            os.replace(temporary, self.path)

    def data_range(self) -> bytes:
        """Body of GET_DATA_RANGE (WHOOP.md 5.7)."""
        pages = [struct.unpack('<I', b.token[:4])[0] for b in self.bursts if b.token and b.token != frame.NO_TOKEN]
        left = self.bursts[self.trim:]
        write = pages[-1] if pages else FIRST_PAGE
        trim = max(0, write - PAGES_PER_BURST * len(left))
        used = sum(b.records for b in left)
        newest = self.times[-1] if self.times else 0
        oldest = self.times[min(2 * self.trim, len(self.times) - 1)] if self.times else 0
        return struct.pack('<B16I', 1, trim // 64 * 64, trim, write, trim, WRAPS, PAGES_TOTAL, used,
                           10 * PAGES_TOTAL - used, oldest, 0, oldest, 0, oldest, 0, newest, 0)

    # -- what is stored

    def _night(self) -> list[Burst]:
        """The real night's records in bursts of our own, with our own counts and tokens, and COMPLETE."""
        with gzip.open(VECTORS / 'real_night_4.hex.gz', 'rt') as lines:
            inners = (frame.unwrap(Family.FOUR, bytes.fromhex(line)) for line in lines)
            records = list(islice((inner for inner in inners if inner[0] == 47), self.records))
        if self.family == Family.FIVE:
            records = [as_v18(record) for record in records]
        self.night, size = records, self.size
        self.counter = struct.unpack_from('<I', records[-1], 3)[0]
        bursts = [self._burst(i, records[at:at + size]) for i, at in enumerate(range(0, len(records), size))]
        self.tail = [frame.wrap(self.family, frame.history_complete(0, self.times[-1]))]
        for until, seconds in self.saved['banked']:
            bursts += self._banked(len(bursts), until, seconds)
        return bursts

    def _burst(self, index: int, records: list[bytes]) -> Burst:
        token = struct.pack('<II', FIRST_PAGE + PAGES_PER_BURST * (index + 1), WRAPS)
        first, last = (struct.unpack_from('<I', record, 7)[0] for record in (records[0], records[-1]))
        # 5.0: seq(END) - seq(START) - 1 is the count; 4.0 numbers its metadata apart
        five = self.family == Family.FIVE
        seq = index * (self.size + 2) if five else 2 * index
        inners = [frame.history_start(frame.MODEL[self.family], seq, first), *records,
                  frame.history_end(seq + len(records) + 1 if five else seq + 1, last, len(records), token)]
        self.times += [first, last]
        return Burst([frame.wrap(self.family, inner) for inner in inners], token, len(records))

    def bank(self, until: int, seconds: int) -> None:
        """Record `seconds` more seconds, up to the strap's time `until`, with the values of the night's last ones."""
        if self.serve != 'night' or not 0 < seconds <= len(self.night):
            raise ValueError('only the night grows, and by no more than its own length')
        self.bursts += self._banked(len(self.bursts), until, seconds)
        self.saved['banked'].append([until, seconds])
        self.save()

    def _banked(self, index: int, until: int, seconds: int) -> list[Burst]:
        records = []
        for age in range(seconds, 0, -1):
            record = bytearray(self.night[-age])
            self.counter += 1
            struct.pack_into('<II', record, 3, self.counter, until - age + 1)
            records.append(bytes(record))
        return [self._burst(index + i, records[at:at + self.size]) for i, at in enumerate(range(0, seconds, self.size))]

    def _recording(self, name: str) -> list[bytes]:
        """What the strap sent on the data characteristic in a session of history_sessions.json."""
        path, _, wanted = name.rpartition('#')
        entries = json.loads(Path(path or VECTORS / 'history_sessions.json').read_text())
        found = [e for e in entries if e['id'] == wanted]
        if not found or not found[0]['family'].startswith(str(int(self.family))):
            raise ValueError(f'no {int(self.family)}.0 session "{wanted}"')
        # answers to commands are this strap's own
        return [bytes.fromhex(e['hex']) for e in found[0]['frames'] if e['dir'] == 'in' and e['char'] == 'data']

    def _session(self, recording: list[bytes]) -> list[Burst]:
        """A recorded session of history_sessions.json to the byte, but for the counts of the four whose source kept fewer
        frames than their ENDs announce."""
        bursts, frames, at = [], [], frame.header_size(self.family)
        for one in recording:
            frames.append(one)
            if one[at] == 49 and one[at + 2] == frame.END:
                bursts.append(self._recorded(frames))
                frames = []
        self.tail = frames
        return bursts

    def _recorded(self, frames: list[bytes]) -> Burst:
        inners = []
        for one in frames:
            try:
                inners.append(frame.unwrap(self.family, one))
            except frame.FrameError:
                inners.append(b'')
        records = [i for i in inners if i[:1] == b'\x2f']
        times = [struct.unpack_from('<I', r, 7)[0] for r in records] or self.times[-1:] or [0]
        self.times += [min(times), max(times)]
        end = inners[-1]
        if not end:
            return Burst(frames, None, len(records))
        count = sum(1 for inner in inners if inner and inner[0] in COUNTED)
        if struct.unpack_from('<I', end, 9)[0] != count and not self.as_recorded:
            frames = frames[:-1] + [frame.wrap(self.family, end[:9] + struct.pack('<I', count) + end[13:])]
        return Burst(frames, end[13:21], len(records))


def as_v18(v12: bytes) -> bytes:
    """A 5.0 one-second record with the values of a 4.0 one: what a 5.0 on the same wrist would have stored."""
    out = bytearray(112)
    out[0:13] = v12[0:13]
    out[1], out[2] = 18, 0x80
    out[14:16] = v12[17:19]  # heart rate, R-R count
    out[16:24] = v12[19:27]
    out[32:49] = v12[31:48]  # quality, dynamic acceleration, acceleration mean
    tenths = struct.unpack_from('<H', v12, 72)[0]
    struct.pack_into('<hhh', out, 61, 280, 290, tenths * 10)
    out[67:73] = v12[74:80]  # channel words
    out[73], out[74], out[96] = v12[80], v12[82], 1
    out[100:102] = b'\x1e\x1e'
    return bytes(out)
