"""What must come out, decoded a second time: from the vectors alone, with nothing of the product or of the strap's double.

Offsets are those of the vectors (inner record; the 4.0 envelope has 4 bytes in front and 4 behind). The gates are the
product's promise: a heart rate outside 25-230 bpm, an interval outside 200-2500 ms or a count above 4 is not believed.
"""
import gzip
import json
import struct
import zlib
from pathlib import Path

VECTORS = Path(__file__).resolve().parents[1] / 'Vectors'


def night(first: int | None = None) -> set[tuple]:
    """(version, counter, unix, heart rate, R-R) of every record of the real night, or of so many."""
    found = set()
    with gzip.open(VECTORS / 'real_night_4.hex.gz', 'rt') as lines:
        for line in lines:
            frame = bytes.fromhex(line)
            inner = frame[4:-4]
            assert zlib.crc32(inner) == struct.unpack('<I', frame[-4:])[0]
            if inner[0] == 47 and (first is None or len(found) < first):
                counter, unix = struct.unpack_from('<II', inner, 3)
                count = inner[18] if inner[18] <= 4 else 0
                found.add((inner[1], counter, unix, believed(inner[17]), intervals(struct.unpack_from(f'<{count}H', inner, 19))))
    return found


def believed(bpm: int | None) -> int | None:
    return bpm if bpm and 25 <= bpm <= 230 else None


def intervals(values) -> str:
    """As they stand in the column: 812,790"""
    return ','.join(str(ms) for ms in values if 200 <= ms <= 2500)


def sessions(family: int) -> list[dict]:
    return [s for s in json.loads((VECTORS / 'history_sessions.json').read_text()) if s['family'].startswith(str(family))]


RECORDS = "SELECT version, counter, unix, heart_rate_bpm, coalesce(rr_ms, '') FROM record"
