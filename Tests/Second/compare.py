#!/usr/bin/env python3
"""Two readings side by side: `compare.py NIGHTSTAND` runs `NIGHTSTAND decode` and compares it with this folder's.

Owns the comparison, field by field, on the vectors, a real night, generated frames and damaged ones. An absent field and
a null one are the same; a field that this reading does not know is counted, not hidden. Exit status 1: they differ.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import generate
import names
import packets
import read
from envelope import Family, Stream, inner

VECTORS = Path(__file__).parent.parent / 'Vectors'


def flat(fields, prefix=''):
    for key, value in fields.items():
        if isinstance(value, dict) and key != 'confidence':
            yield from flat(value, f'{prefix}{key}.')
        else:
            yield prefix + key, value


def once(pairs):
    """An object, and what it says twice: a parser would keep only the last."""
    fields = dict(pairs)
    keys = [key for key, _ in pairs]
    return fields if len(fields) == len(keys) else fields | {'twice': sorted({key for key in keys if keys.count(key) > 1})}


def same(one, other):
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-9) or one == other
    return one == other


class Comparison:
    """Counts of what was compared, and every difference."""

    def __init__(self, program, shown):
        self.program, self.shown = program, shown
        self.frames, self.fields, self.archived, self.alone, self.unknown, self.differences = (
            Counter() for _ in range(6))

    def decode(self, lines):
        """What the program prints for a file of hex lines, an object each."""
        with tempfile.NamedTemporaryFile('w', suffix='.hex') as file:
            file.write(''.join(line.hex() + '\n' for line in lines))
            file.flush()
            done = subprocess.run([self.program, 'decode', '--json', '--all', '--identity', file.name],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode not in (0, 65):
            sys.exit(f'{self.program} decode left with {done.returncode}: {done.stderr.decode(errors="replace")[-300:]}')
        return [json.loads(line, object_pairs_hook=once) for line in done.stdout.decode(errors='replace').splitlines()]

    def differ(self, what, frame, detail):
        self.differences[what] += 1
        if self.differences[what] <= self.shown:
            print(f'{what}: {detail}  {frame.hex()[:240]}')

    def pair(self, family, frame, object):
        ours = packets.read(family, frame)
        kind = (ours['family'], ours['type'], ours.get('version'))
        label = f'{kind[0]} type {kind[1]}' + ('' if kind[2] is None else f' v{kind[2]}')
        expected, given = names.theirs(ours), dict(flat(object))
        self.frames[label] += 1
        for key in given.pop('twice', []):
            self.differ(f'{label} {key} twice in one object', frame, repr(given[key]))
        if given.get('rr_ms'):
            given['rr_ms'] = [ms for ms in given['rr_ms'] if ms is not None]  # they keep a gated interval's place
        if 'body' not in given and (ours.get('command') in names.HIDDEN or ours.get('event') == 109 or ours.get('result') == 0):
            expected.pop('body')
        if given.get('known') is False:
            self.archived[label] += 1
            data = inner(family, frame)
            if given.get('inner', data.hex()) != data.hex() or names.whole(ours, len(data)):
                self.differ(f'{label} archived', frame, f'{len(data)} bytes')
            expected = {key: value for key, value in expected.items() if key in given}
        for key in sorted(expected.keys() | given.keys()):
            if (ours['type'], key) in names.OURS_ALONE or (ours.get('version'), key) in names.OURS_ALONE_IN:
                self.alone[f'{label} {key}'] += 1
            elif key in expected and (key not in names.LABELS or key == 'kind'):
                self.fields[label] += 1
                if not same(expected[key], given.get(key)):
                    self.differ(f'{label} {key}', frame, f'ours {expected[key]!r:.90}, theirs {given.get(key)!r:.90}')
            elif key not in names.LABELS and key not in expected:
                self.unknown[f'{label} {key}'] += given[key] is not None

    def whole(self, title, frames):
        """One object is due for each frame: a line, a frame."""
        frames = list(frames)
        objects = {}
        for object in self.decode(frame for _, frame in frames):
            objects.setdefault(object['line'], []).append(object)
        for line, (family, frame) in enumerate(frames, 1):
            found = objects.pop(line, [])
            if len(found) == 1:
                self.pair(family, frame, found[0])
            else:
                self.differ(f'{title}: {len(found)} objects for a frame', frame, f'line {line}')
        for line, found in objects.items():
            self.differ(f'{title}: objects where no frame is', b'', f'line {line}: {found}')
        print(f'{title}: {len(frames)} frames')

    def stream(self, title, family, chunks):
        """A notification a line, some of them damaged: the same frames must come out, in the same order."""
        chunks, reading = list(chunks), Stream(family)
        frames = [frame for chunk in chunks for frame in reading.take(chunk)]
        objects = self.decode(chunks)
        if len(objects) != len(frames):
            self.differ(f'{title}: frames', b'', f'ours {len(frames)}, theirs {len(objects)}')
        for frame, object in zip(frames, objects):
            self.pair(family, frame, object)
        print(f'{title}: {len(frames)} frames in {len(chunks)} notifications')

    def report(self):
        print(f'\n{"packet":24}{"frames":>8}{"fields":>10}{"archived":>10}')
        for label in sorted(self.frames):
            print(f'{label:24}{self.frames[label]:8}{self.fields[label]:10}{self.archived[label]:10}')
        print(f'{"all":24}{sum(self.frames.values()):8}{sum(self.fields.values()):10}')
        for owner, counted in (('ours', self.alone), ('theirs', self.unknown)):
            keys = Counter()
            for key, count in counted.items():
                keys[key.rsplit(' ', 1)[1]] += count
            print(f'{owner} alone, not compared:', ', '.join(f'{key} {count}' for key, count in sorted(keys.items()) if count))
        for what, count in sorted(self.differences.items()):
            print(f'DIFFERENT {count:6}  {what}')
        print(f'{sum(self.differences.values())} differences')
        return 1 if self.differences else 0


def vectors():
    for name in ('whoop4_frames.json', 'whoop5_frames.json'):
        for entry in json.loads((VECTORS / name).read_text()):
            if entry['valid']:
                yield Family(entry['family']), bytes.fromhex(entry['hex'])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('nightstand')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=40, help='generated: 57 frames a round and family')
    parser.add_argument('--shown', type=int, default=2, help='examples of each difference')
    given = parser.parse_args()
    two = Comparison(given.nightstand, given.shown)
    two.whole('vectors', vectors())
    two.whole('real night', ((Family.FOUR, frame) for _, frame in read.frames(VECTORS / 'real_night_4.hex.gz')))
    made = list(generate.sealed(given.seed, given.rounds))
    two.whole('generated', made)
    for family in Family:
        good = [pair for pair in made if pair[0] is family]
        harmed = generate.damaged(given.seed, good)
        two.stream(f'damaged {family.value}', family, (frame for pair in zip(harmed, good[::-1]) for _, frame in pair))
    sys.exit(two.report())


if __name__ == '__main__':
    main()
