#!/usr/bin/env python3
"""Read frames and print one JSON object a line: `read.py FILE...`, hex lines (also gzipped) or the vectors' JSON.

Owns the command line only. The family of a hex line is the one whose header CRC holds; a frame that no family
vouches for is printed as {"refused": hex}.
"""
import gzip
import json
import sys
from pathlib import Path

import packets
from envelope import Family, inner


def frames(path):
    """(family or None, bytes) of each frame in a file."""
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data).decode()
    if text.lstrip().startswith('['):
        for entry in json.loads(text):
            yield Family(entry['family']), bytes.fromhex(entry['hex'])
    else:
        for line in text.splitlines():
            if line.strip():
                yield None, bytes.fromhex(line.strip())


def family_of(frame):
    return next((family for family in Family if inner(family, frame) is not None), Family.FOUR)


def main(paths):
    for path in paths:
        for family, frame in frames(path):
            fields = packets.read(family or family_of(frame), frame)
            print(json.dumps({'refused': frame.hex()} if fields is None else fields))


if __name__ == '__main__':
    main(sys.argv[1:])
