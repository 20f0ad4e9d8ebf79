#!/usr/bin/env python3
"""This reading against the vectors: every expected field of every frame, every refusal, every fragment.

Owns the translation of the vectors' keys into ours. Where a vector asserts a value that WHOOP.md's gates reject, or
that WHOOP.md says is not there, the entry stands in GATED with the reason: the field must then be absent.
"""
import json
import math
import struct
import unittest
from pathlib import Path

import packets
from bytes_at import Record
from envelope import Family, Stream, header_holds, inner

VECTORS = Path(__file__).parent.parent / 'Vectors'

PLAIN = {  # vectors' key -> ours
    'packet_type': 'type', 'roles_hex': 'roles', 'record_version': 'version', 'marker_u8': 'flags',
    'record_index': 'counter', 'unix': 'unix', 'subsec': 'subsecond', 'hr': 'heart_rate_bpm', 'rr': 'rr_ms',
    'rr_count': 'rr_count', 'raw_u16_29': 'raw_u16_29', 'quality_u8': 'quality', 'motion_f32': 'motion_g',
    'gravity': 'gravity_g', 'raw_f32_48': 'raw_f32_48', 'gravity2': 'gravity_copy_g', 'spo2_red_raw': 'raw_u16_64',
    'spo2_ir_raw': 'raw_u16_66', 'skin_temp_raw': {12: 'raw_u16_68', 24: 'raw_u16_68', 18: 'skin_raw'},
    'ambient_raw': 'raw_u16_70', 'led_raw': 'raw_u16_72', 'spo2_u8': 'spo2_byte', 'flags_u8': 'signal_flags',
    'raw_u16_26': 'raw_u16_26', 'raw_u16_30': 'raw_u16_30', 'step_counter': 'steps', 'raw_u8_51': 'cadence',
    'activity_u8': 'activity', 'state_u8': 'sleep_byte', 'sleep_state': 'sleep_state', 'wake_quality': 'fit_class',
    'onwrist': 'wear_flags', 'raw_f32_105': 'log_variance', 'burst_u16': 'segment', 'dc_u32': 'first_sample',
    'ppg': 'deltas', 'count_accel': 'acceleration_count', 'count_gyro': 'rotation_count', 'r22_tag': 'tag',
    'event': 'event', 'payload_len': 'body_length', 'payload_hex': 'body', 'text': 'text',
    'battery_pct': 'battery_percent', 'battery_mv': 'battery_mv', 'pack_addr': 'pack_address',
    'pack_serial': 'pack_serial', 'pack_soc_pct': 'pack_percent', 'cmd': 'command', 'origin_seq': 'request_sequence',
    'result': 'result', 'body_hex': 'body', 'hello_unix': 'clock_unix', 'hello_subsec': 'clock_subsecond',
    'serial': 'serial', 'fw_version': 'firmware', 'fw_harvard': 'firmware', 'fw_boylston': 'coprocessor',
    'page_read': 'read_page', 'page_write': 'write_page', 'page_trim': 'trim_page', 'page_wraps': 'wraps',
    'page_capacity': 'pages', 'pages_behind': 'pages_behind', 'oldest_unix': 'oldest_unix',
    'newest_unix': 'newest_unix', 'flag_index': 'key_index', 'flag_name': 'key', 'flag_value': 'value',
    'flag_count': 'key_count', 'advertising_name': 'name', 'meta_type': 'kind', 'burst_frames': 'burst_frames',
    'trim': 'trim_page', 'trim_wraps': 'wraps', 'ack_token_hex': 'token'}
LABELS = {'packet_type_name', 'command', 'result_name', 'event_name', 'meta_name'}  # names only; numbers decide
AXIS = {'accel': 'acceleration', 'gyro': 'rotation'}
AXES = [f'{sensor}_{axis}_{part}' for sensor in AXIS for axis in 'xyz' for part in ('count', 'first', 'last', 'sum')]
NO_PULSE = [f'w4-rt-{n:03}' for n in range(44, 54) if n != 45] + ['w4-raw-v10-002', 'w5-hist-v18-037', 'w5-rt-049']
GATED = {(entry, key): reason for reason, entries, keys in [
    ('8.12: 0 is no heart rate', NO_PULSE, ['hr']),
    ('8.7: activity is 0, 1 or 2, other values are invalid', ['w5-hist-v18-048', 'w5-hist-v18-049'], ['activity_u8']),
    ('4.3: 5.0 gates the charge on result 1, and this says unsupported', ['w5-resp-049'], ['battery_pct']),
    ('5.3: a 5.0 hello is valid with result 1 only; the first reply is pending and zero, a failure holds stale bytes',
     ['w5-resp-024', 'w5-resp-038'], ['hello_unix', 'hello_subsec', 'serial', 'fw_version']),
    ('5.5: all zero is no pack', ['w5-resp-045', 'w5-event-043'], ['pack_addr', 'pack_serial', 'pack_soc_pct']),
    ('8.2: version 5 holds heart rate and R-R, no samples; the test that the vector cites asserts these two alone',
     ['w4-raw-v5-001'], AXES),
] for entry in entries for key in keys}  # (entry, key) -> why WHOOP.md wins


def series(fields, key):
    """accel_x, gyro_z, ppg and ch_2_1 by our names."""
    name, _, rest = key.partition('_')
    if name == 'ch':
        block, stream = rest.split('_')
        return fields['blocks'][int(block)]['ab'[int(stream)]]
    return fields['deltas'] if name == 'ppg' else fields.get(f'{AXIS[name]}_{rest}')


def found(fields, frame, family, key):
    """Our value under a vector's key."""
    record = Record(inner(family, frame))
    head, _, last = key.rpartition('_')
    if key.startswith(('accel_', 'gyro_', 'ch_', 'ppg_')):
        if last not in ('count', 'first', 'last', 'sum'):
            return series(fields, key)
        numbers = series(fields, head)
        if not numbers:
            return 0 if last == 'count' and numbers == [] else None
        return {'count': len(numbers), 'first': numbers[0], 'last': numbers[-1], 'sum': sum(numbers)}[last]
    if key.startswith('chan_word_'):
        return fields['channel_words'][int(last)]
    if key == 'blocks':
        return [block['count'] for block in fields['blocks']]
    if key == 'seq':
        return fields.get('sequence', fields.get('version', fields.get('layout', record.u8(1))))
    if key == 'frame_len':
        return len(frame)
    if key == 'tail_hex':
        return record.hex(18) or ''
    if key == 'raw_u16_27':
        return fields['raw_u8_27'] | fields['raw_u8_28'] << 8
    if key == 'raw_u16_28':
        return fields['raw_u8_28'] | fields['raw_u8_29'] << 8
    if key == 'charging':  # WHOOP.md 13.35: no field says it for sure; the vector's own byte is in the body
        return Record(bytes.fromhex(fields['body'])).u8(10) & 1
    if key.startswith('temp_aux_'):
        return round(fields['cell_temperature_c' if '_1_' in key else 'board_temperature_c'] * 10)
    if key == 'name_len':
        return Record(bytes.fromhex(fields['body'])).u8(2)
    name = PLAIN[key]
    return fields.get(name[fields['version']] if isinstance(name, dict) else name)


def equal(ours, theirs):
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(equal, ours, theirs))
    if isinstance(theirs, float) and ours is not None:
        return math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-9)
    return ours == theirs


class Vectors(unittest.TestCase):
    def frames(self, name):
        entries = json.loads((VECTORS / name).read_text())
        self.assertGreater(len(entries), 200)
        compared = gated = 0
        for entry in entries:
            family, frame, expect = Family(entry['family']), bytes.fromhex(entry['hex']), entry['expect']
            with self.subTest(entry['id']):
                fields = packets.read(family, frame)
                if not entry['valid']:
                    self.assertIsNone(fields)
                    self.assertEqual(header_holds(family, frame), expect['header_crc_ok'])
                    continue
                self.assertIsNotNone(fields)
                for key, theirs in expect.items():
                    if key in LABELS or key.endswith('_crc_ok'):
                        continue
                    ours = found(fields, frame, family, key)
                    if (entry['id'], key) in GATED and theirs is not None:
                        gated += 1
                        self.assertIsNone(ours, (key, GATED[entry['id'], key]))
                    else:
                        compared += 1
                        self.assertTrue(equal(ours, theirs), f'{key}: ours {ours}, vector {theirs}')
        print(f'{name}: {compared} fields agree, {gated} are absent by a gate')
        return compared

    def test_whoop_4(self):
        self.assertGreater(self.frames('whoop4_frames.json'), 3900)

    def test_whoop_5(self):
        self.assertGreater(self.frames('whoop5_frames.json'), 3600)

    def test_fragments(self):
        for entry in json.loads((VECTORS / 'fragments.json').read_text()):
            with self.subTest(entry['id']):
                stream = Stream(Family(entry['family']))
                taken = [[frame.hex() for frame in stream.take(bytes.fromhex(chunk))] for chunk in entry['chunks']]
                self.assertEqual([len(frames) for frames in taken], entry['expect_per_chunk'])
                self.assertEqual(sum(taken, []), entry['expect_frames'])

    def test_the_sheets_own_records(self):
        """WHOOP.md 15.3: what no vector asserts, in units."""
        frames = {entry['hex'][-8:]: packets.read(Family(entry['family']), bytes.fromhex(entry['hex']))
                  for name in ('whoop4_frames.json', 'whoop5_frames.json')
                  for entry in json.loads((VECTORS / name).read_text())}
        four, five, pulse = frames['8fdeb278'], frames['3e862817'], frames['6cb67c17']
        self.assertEqual((four['skin_temperature_c'], four['steps'], four['sleep_state'], four['spo2_percent']),
                         (29.7, 708, 0, None))
        self.assertEqual((five['cell_temperature_c'], five['board_temperature_c'], five['skin_temperature_c']),
                         (24.7, 26.5, 30.57))
        self.assertEqual((five['cadence'], five['activity'], five['psnr_b_db'], five['psnr_a_db']), (170, 0, 30, 30))
        self.assertEqual((five['photodiode_b'], five['photodiode_a'], round(five['log_variance'], 4)),
                         (0x65, 0x6F, -5.2307))
        self.assertEqual((pulse['samples'][0], pulse['samples'][-1], len(pulse['samples']), pulse['shape_check']),
                         (378307, 362532, 25, 1))

    def test_one_byte_at_a_time(self):
        for family, name in ((Family.FOUR, 'whoop4_frames.json'), (Family.FIVE, 'whoop5_frames.json')):
            frames = [bytes.fromhex(entry['hex']) for entry in json.loads((VECTORS / name).read_text()) if entry['valid']]
            stream, taken = Stream(family), []
            for byte in b'\xaa\xaa\0' + b'\0\0'.join(frames):
                taken += stream.take(bytes([byte]))
            self.assertEqual(taken, frames)


if __name__ == '__main__':
    unittest.main()
