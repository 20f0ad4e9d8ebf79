"""Blocks: the raw motion and optical series of versions 10, 11, 20, 21 and 22, and of types 51 and 52.

Owns sample geometry (WHOOP.md 7.3, 8.5, 8.6, 8.9 to 8.11). Samples stay in the strap's own units; a count that a
block cannot hold means that the series is absent.
"""
from bytes_at import Record, gravity, motion, within

AXES = 'xyz'


def axes(record, name, offset, stride, count):
    """Three i16 series, one an axis, `stride` bytes apart; all None if the count is no count."""
    return {f'{name}_{axis}': None if count is None else record.many('h', offset + k * stride, count)
            for k, axis in enumerate(AXES)}


def motion_10(record):
    """4.0 R10 from byte 27 on: floats, 100 Hz acceleration and rotation, steps, one optical block."""
    return axes(record, 'acceleration', 85, 200, 100) | axes(record, 'rotation', 688, 200, 100) | {
        'quality': record.u8(31), 'motion_g': motion(record.f32(42)), 'gravity_g': gravity(record.vector(46), by_norm=True),
        'raw_f32_58': record.f32(58), 'raw_u16_74': record.u16(74), 'raw_u16_76': record.u16(76),
        'raw_u16_78': record.u16(78), 'raw_u16_80': record.u16(80), 'steps': record.u16(1293),
        'blocks': [block_11(record, 1491)]}


def paths(record, offset):
    """The two photodiode paths of a block: id, full scale (µA), offset current (10 nA)."""
    return [{'photodiode': record.u8(at), 'full_scale_ua': record.u32(at + 1), 'offset_10na': record.i16(at + 5)}
            for at in (offset, offset + 7)]


def leds(record, offset, count):
    return [{'driver': record.u8(at), 'current_10ua': record.u16(at + 1)}
            for at in range(offset, offset + 3 * count, 3)]


def block_11(record, offset):
    """An optical block of R10 and R11: 425 bytes, 50 or 0 samples."""
    count = within(record.u8(offset + 1), 0, 50)
    stream = [None if count is None else record.many('i', offset + at, count) for at in (25, 225)]
    return {'count': count, 'leds': leds(record, offset + 2, 3), 'paths': paths(record, offset + 11),
            'a': stream[0], 'b': stream[1]}


def optical_11(record):
    return {'blocks': [block_11(record, 13 + 425 * k) for k in range(4)]}


def sample_20_bits(number):
    return ((number & 0xFFFFF) ^ 0x80000) - 0x80000


def block_20(record, offset):
    """An optical block of v20: 422 bytes, at most 50 samples of which 25 are the rule."""
    count = within(record.u8(offset), 0, 50)
    stream = [None if count is None else record.many('i', offset + at, count) for at in (21, 221)]
    stream = [None if numbers is None else list(map(sample_20_bits, numbers)) for numbers in stream]
    return {'count': count, 'leds': leds(record, offset + 1, 2), 'paths': paths(record, offset + 7),
            'a': stream[0], 'b': stream[1]}


def optical_20(record):
    return {'sample_rate_hz': record.u16(15), 'blocks': [block_20(record, 18 + 422 * k) for k in range(5)]}


def motion_21(record):
    """5.0 v21: as many samples as the counts say, at a fixed stride."""
    acceleration, rotation = within(record.u16(16), 1, 100), within(record.u16(622), 0, 100)
    return axes(record, 'acceleration', 20, 200, acceleration) | axes(record, 'rotation', 632, 200, rotation) | {
        'acceleration_count': acceleration, 'rotation_count': rotation}


def window(record, offset, deltas):
    return {'first': record.i32(offset), 'deltas': record.many('h', offset + 4, deltas)}


def meta_22(record, base):
    return {'window_flags': record.u8(base + 1), 'motion_g': motion(record.f32(base + 4)), 'channel_words': record.many('H', base + 20, 1),
            'flag': record.u8(base + 26)}


def research_22(record):
    """5.0 v22: what the tag says was written; the rest of the record is stale and is not read."""
    tag = record.u8(13)
    fields = {'tag': tag}
    if tag in (1, 2, 4):
        fields |= meta_22(record, 117) | {'windows': [window(record, 15, 49)]}
    elif tag == 3:
        fields |= meta_22(record, 119) | {'windows': [window(record, 15, 24), window(record, 67, 24)]}
    elif tag == 5:
        fields |= {'pulse_unix': record.u32(15), 'windows': [window(record, 23, 24)], 'motion_g': motion(record.f32(75)),
                   'channel_words': record.many('H', 79, 1), 'flag': record.u8(81)}
    elif tag == 6:
        fields |= axes(record, 'acceleration', 18, 50, 25)
    return fields


def stream_51(data):
    """Live motion of 4.0 (type 51; 52 is assumed alike): counts first, then acceleration and rotation, axis by axis."""
    record = Record(data)
    count, turns = record.u16(20), record.u16(22)
    fields = {'unix': record.u32(4), 'block': record.u16(14), 'acceleration_count': count, 'rotation_count': turns}
    if count is None or len(record) < 24 + 6 * count:
        count = turns = None  # where rotation begins, the acceleration count says
    elif turns is None or len(record) < 24 + 6 * (count + turns):
        turns = None
    return fields | axes(record, 'acceleration', 24, 2 * (count or 0), count) | axes(
        record, 'rotation', 24 + 6 * (count or 0), 2 * (turns or 0), turns)
