"""Records: the once-a-second versions of types 43 and 47, by family and version (WHOOP.md 8.1 to 8.4, 8.7, 8.8).

Owns the header that every version shares, the summaries and the pulse packet. A version that the family does not have
is read as its header only. Offsets are into the inner record.
"""
import blocks
from bytes_at import (Record, beats, bits, blood_oxygen, flag, gravity, heart_rate, motion, part_temperature,
                      skin_temperature, within)
from envelope import Family

LOWEST_SAMPLE, HIGHEST_SAMPLE = -(1 << 19), (1 << 19) - 1  # 20-bit ADC codes
RAILS = (-32768, 32767)


def header(record):
    return {'version': record.u8(1), 'flags': record.u8(2), 'counter': record.u32(3), 'unix': record.u32(7),
            'subsecond': record.u16(11)}


def bare(record, most=4):
    """4.0 v5, v7, v9, and the head of R10."""
    return {'heart_rate_bpm': heart_rate(record.u8(17)), 'rr_count': record.u8(18), 'rr_ms': beats(record, 18, most)}


def motion_10(record):
    """4.0 R10; what follows the head has no meaning in a record cut short."""
    return bare(record, most=8) | (blocks.motion_10(record) if len(record) >= 1920 else {})


def sleep(byte):
    return {'sleep_byte': byte, 'sleep_state': bits(byte, 4, 3)}


def summary_4(record):
    """4.0 v12, and v24 with its step counter."""
    return bare(record) | sleep(record.u8(80)) | {
        'raw_u8_27': record.u8(27), 'raw_u8_28': record.u8(28), 'raw_u16_29': record.u16(29),
        'quality': record.u8(31), 'motion_g': motion(record.f32(32)), 'gravity_g': gravity(record.vector(36), by_norm=True),
        'raw_f32_48': record.f32(48), 'gravity_copy_g': gravity(record.vector(52), by_norm=True),
        'raw_u16_64': record.u16(64), 'raw_u16_66': record.u16(66), 'raw_u16_68': record.u16(68),
        'raw_u16_70': record.u16(70), 'raw_u16_72': record.u16(72),
        'skin_temperature_c': skin_temperature(record.u16(72), 10), 'channel_words': record.many('H', 74, 3),
        'spo2_byte': record.u8(82), 'spo2_percent': blood_oxygen(record.u8(82))}


def summary_24(record):
    return summary_4(record) | {'steps': record.u16(88)}


def summary_18(record):
    """5.0 v18."""
    return sleep(record.u8(73)) | {
        'heart_rate_bpm': heart_rate(record.u8(14)), 'rr_count': record.u8(15), 'rr_ms': beats(record, 15),
        'signal_flags': record.u8(25), 'raw_u16_26': record.u16(26), 'raw_u8_28': record.u8(28),
        'raw_u8_29': record.u8(29), 'raw_u16_30': record.u16(30), 'quality': record.u8(32),
        'motion_g': motion(record.f32(33)), 'gravity_g': gravity(record.vector(37), by_norm=False),
        'steps': record.u16(49), 'cadence': record.u8(51), 'activity': within(record.u8(55), 0, 2),
        'cell_temperature_c': part_temperature(record.i16(61)), 'board_temperature_c': part_temperature(record.i16(63)),
        'skin_raw': record.i16(65), 'skin_temperature_c': skin_temperature(record.i16(65), 100),
        'channel_words': record.many('H', 67, 3), 'fit_class': bits(record.u8(73), 2, 3),
        'wear_flags': bits(record.u8(73), 0, 3),
        'spo2_byte': record.u8(74), 'spo2_percent': blood_oxygen(record.u8(74)),
        'photodiode_b': record.u8(98), 'photodiode_a': record.u8(99),
        'psnr_b_db': signal_to_noise(record.i8(100)), 'psnr_a_db': signal_to_noise(record.i8(101)),
        'log_variance': record.f32(105)}


def signal_to_noise(decibel):
    return None if decibel == -128 else decibel


def pulse(record):
    """4.0 v25 = 5.0 v26: a first sample and 24 differences at 25 Hz. `samples` stops where they cease to be true."""
    first, deltas = record.i32(15), record.many('h', 19, 24)
    return {'segment': record.u16(13), 'first_sample': within(first, LOWEST_SAMPLE, HIGHEST_SAMPLE), 'deltas': deltas,
            'samples': waveform(first, deltas), 'motion_g': motion(record.f32(67)), 'channel_words': record.many('H', 71, 1),
            'flag': record.u8(73), 'shape_check': flag(record.u8(74))}


def waveform(first, deltas):
    if first is None or deltas is None:
        return None
    samples = []
    for delta in [0, *deltas]:
        level = samples[-1] + delta if samples else first
        if delta in RAILS or not LOWEST_SAMPLE <= level <= HIGHEST_SAMPLE:
            break
        samples.append(level)
    return samples


LAYOUTS = {
    Family.FOUR: {5: bare, 7: bare, 9: bare, 10: motion_10,
                  11: blocks.optical_11, 12: summary_4, 18: summary_18, 24: summary_24, 25: pulse},
    Family.FIVE: {18: summary_18, 20: blocks.optical_20, 21: blocks.motion_21, 22: blocks.research_22, 26: pulse}}


def read(family, data):
    record = Record(data)
    layout = LAYOUTS[family].get(record.u8(1))
    return header(record) | (layout(record) if layout else {})
