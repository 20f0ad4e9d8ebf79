"""Names: what Docs/FIELDS.md calls each field of this reading.

Owns the translation from ours to theirs, so that two readings can be laid side by side; it reads no bytes. `BYTES_ONLY`
are fields that the other program keeps to itself, `LABELS` those of its fields that say nothing new.
"""
KINDS = {1: 'HISTORY_START', 2: 'HISTORY_END', 3: 'HISTORY_COMPLETE'}
SAME = '''type family version flags counter unix subsecond heart_rate_bpm rr_ms quality motion_g gravity_g steps
    skin_temperature_c sleep_state spo2_percent activity cadence cell_temperature_c board_temperature_c signal_flags
    log_variance acceleration_x acceleration_y acceleration_z rotation_x rotation_y rotation_z segment first_sample
    deltas flag tag sequence command result body battery_percent clock_unix clock_subsecond read_page write_page
    trim_page wraps pages pages_behind free_records oldest_unix newest_unix firmware alarm_enabled alarm_unix
    trim_unix read_unix key_count key_index key value pack_attached pack_address pack_serial pack_percent charging serial worn
    heart_rate_broadcast event battery_mv battery_temperature_c text block'''.split()
THEIRS = dict(zip(SAME, SAME)) | {
    'spo2_byte': 'spo2_code', 'raw_u16_26': 'raw_26', 'raw_u16_30': 'raw_30', 'raw_u16_29': 'raw_29',
    'raw_f32_48': 'raw_48', 'raw_u16_64': 'raw_64', 'raw_u16_66': 'raw_66', 'raw_u16_68': 'raw_68',
    'raw_u16_70': 'raw_70', 'psnr_a_db': 'signal_to_noise_a_db', 'psnr_b_db': 'signal_to_noise_b_db',
    'shape_check': 'shape_good', 'pulse_unix': 'embedded_unix', 'request_sequence': 'answers_sequence',
    'name': 'advertised_name', 'old_page': 'oldest_page', 'used_records': 'unread_records', 'coprocessor': 'coprocessor_firmware',
    'hardware': 'hardware_family', 'on_wrist': 'worn', 'layout': 'revision', 'on_body': 'worn',
    'body_location': 'location', 'wrist_state': 'wrist', 'current_ma': 'battery_current',
    'remaining_capacity': 'battery_remaining', 'second_temperature_c': 'board_temperature_c', 'cause': 'haptics_cause',
    'sub_event': 'firmware_event', 'photodiode_a': 'photodiode_a_mean', 'photodiode_b': 'photodiode_b_mean',
    'fit_class': 'fit', 'board': 'board', 'optical': 'optics', 'error': 'error_code', 'average_current_ma': 'battery_average_current',
    'flash_status': 'flash_status', 'backlog_percent': 'backlog_percent', 'alarm_subsecond': 'alarm_subsecond',
    'pack_type': 'pack_kind', 'signal_processor': 'signal_processor', 'burst_frames': 'announced_frames', 'sample_rate_hz': 'samples_per_second'}
BYTES_ONLY = set('''rr_count gravity_copy_g raw_u16_72 skin_raw wear_flags samples
    raw_f32_58 raw_u16_74 raw_u16_76 raw_u16_78 raw_u16_80 acceleration_count rotation_count window_flags body_length
    token nothing_stored revision roles raw_u8_29'''.split())
OURS_ALONE = {(50, 'body'), (50, 'event'), (55, 'sequence')}  # by type
OURS_ALONE_IN = {(10, 'quality')}  # by version
HIDDEN = {35, 76, 141, 145, 151}  # replies that may tell who somebody is: their bodies stay inside
LABELS = set('line direction name known inner confidence command_name result_name event_name kind'.split())


# The least a whole inner record measures (WHOOP.md 4.2, 7, 8.2, 9.1); the other program archives what is shorter.
RECORDS = {('4.0', 10): 1920, ('4.0', 11): 1924, ('4.0', 12): 88, ('4.0', 18): 110, ('4.0', 24): 96, ('4.0', 25): 76,
           ('5.0', 18): 110, ('5.0', 20): 2128, ('5.0', 21): 1232, ('5.0', 22): 176, ('5.0', 26): 76}
PACKETS = {36: 5, 38: 5, 40: 20, 48: 8, 50: 13, 51: 24, 52: 24, 54: 12}


def whole(ours, size):
    """Whether an inner record of `size` bytes is long enough for its layout, as far as its reading tells."""
    if ours.get('revision', 1) != 1:
        return False
    if ours['type'] in (43, 47):
        return ours.get('counter') is not None and 'rr_count' in ours and ours.get('version') in (5, 7, 9) and size >= 27 \
            or size >= RECORDS.get((ours['family'], ours.get('version')), 1 << 16)
    return size >= PACKETS.get(ours['type'], {1: 40, 2: 24}.get(ours.get('kind'), 9) if ours['type'] in (49, 56) else 1 << 16)


def optical(block):
    """A block of R11 or v20; currents in mA and µA as FIELDS.md has them."""
    named = {f'led_{k}.{key}': value for k, led in enumerate(block['leds'])
             for key, value in (('driver', led['driver']), ('current_ma', over(led['current_10ua'], 100)))}
    for k, path in enumerate(block['paths']):
        named |= {f'photodiode_{k}.number': path['photodiode'], f'photodiode_{k}.full_scale_ua': path['full_scale_ua'],
                  f'photodiode_{k}.offset_ua': over(path['offset_10na'], 100)}
    return named | {'a': block['a'], 'b': block['b']}


def over(number, divisor):
    return None if number is None else number / divisor


def pair(low, high):
    return None if low is None or high is None else low | high << 8


def theirs(ours):
    """Our fields under their names; nested ones dotted."""
    named = {}
    for key, value in ours.items():
        if key == 'channel_words':
            named |= {'channel_word': value and value[0]} if 'windows' in ours or 'deltas' in ours else {key: value}
        elif key == 'blocks' and ours['version'] == 10:
            named |= {'ambient_a': value[0]['a'], 'ambient_b': value[0]['b']}
        elif key == 'blocks':
            named |= {f'block_{k}.{inside}': what for k, block in enumerate(value) for inside, what in optical(block).items()}
        elif key == 'windows':
            for k, window in enumerate(value):
                named |= {f'window_{k}.first_sample': window['first'], f'window_{k}.deltas': window['deltas']}
        elif key == 'kind':
            named['kind' if value in KINDS else 'kind_number'] = KINDS.get(value, value)
        elif key == 'wraps' and ours['type'] in (49, 56):
            named['trim_wraps'] = value
        elif key == 'raw_u8_27':
            named['raw_27'] = pair(value, ours['raw_u8_28'])
        elif key == 'raw_u8_28':
            if 'raw_u8_29' in ours:
                named['raw_28'] = pair(value, ours['raw_u8_29'])
        elif key == 'sleep_byte':
            named['sleep_flags'] = None if value is None else value & 15
        elif key not in BYTES_ONLY:
            named[THEIRS[key]] = value
    return named
