"""Packets: every type that a strap sends, from its first byte on (WHOOP.md 4.1, 4.2, 6, 7.1, 9.1).

Owns the choice of layout and the small packets: live heart rate, events, console lines, history's metadata. An unknown
type keeps its number and is not guessed at.
"""
import blocks
import records
import responses
from bytes_at import Record, beats, charge, flag, heart_rate, part_temperature, scaled, within
from envelope import Family, inner

START, END = 1, 2
NOTHING_STORED = 'ff' * 8
HIGHEST_MV = 4500  # WHOOP.md says 4300; a real 5.0 at 99.9 % says 4382 (w5-event-038)


def live(family, data):
    record = Record(data)
    return {'layout': record.u8(1), 'unix': record.u32(2), 'subsecond': record.u16(6),
            'heart_rate_bpm': heart_rate(record.u8(8)), 'rr_count': record.u8(9), 'rr_ms': beats(record, 9),
            'on_body': flag(record.u8(18)), 'body_location': record.u8(19)}


def battery_level(family, body):
    if len(body) < 9:
        return {}
    return {'battery_percent': charge(body.u32(1)), 'battery_mv': within(body.u32(5), 3000, HIGHEST_MV)}


def condition(family, body):
    if len(body) < 12:
        return {}
    return {'pages_behind': body.u32(0), 'backlog_percent': scaled(body.u16(4), 10),
            'battery_percent': charge(body.u16(6)), 'flash_status': body.u8(8), 'charging': int(body.u8(9) != 0),
            'wrist_state': body.u8(10)}


def extended_battery(family, body):
    if family is Family.FOUR and body.u8(0) == 1 and len(body) >= 28:
        return {'current_ma': body.i16(1), 'average_current_ma': body.i16(3),
                'battery_mv': within(body.u16(5), 3000, HIGHEST_MV), 'battery_temperature_c': part_temperature(body.i16(7)),
                'remaining_capacity': body.u16(11)}
    if family is Family.FIVE and body.u8(0) == 3 and len(body) >= 12:
        return {'battery_temperature_c': part_temperature(body.i16(5)), 'second_temperature_c': part_temperature(body.i16(7))}
    return {}


def haptics_ended(family, body):
    return {'cause': body.u8(1)}


def pack_info(family, body):
    if not any(body.data[1:23]) or len(body) < 25:
        return {}
    return {'pack_address': body.hex(1, 6), 'pack_serial': body.text(7, 16), 'pack_percent': charge(body.u16(23))}


def firmware_event(family, body):
    return {'sub_event': body.u16(1)}


EVENTS = {3: battery_level, 29: condition, 63: extended_battery, 100: haptics_ended, 109: pack_info,
          123: firmware_event}


def envelope(data):
    """Types 48, 50 and 54: id, time and a body, which ends where its length says or where the frame does."""
    record = Record(data)
    size = record.u16(10)
    body = '' if size is None else record.hex(12, min(size, len(record) - 12))
    return {'sequence': record.u8(1), 'event': record.u16(2), 'unix': record.u32(4), 'subsecond': record.u16(8),
            'body_length': size, 'body': body}


def event(family, data):
    fields = envelope(data)
    detail = EVENTS.get(fields['event'])
    return fields | (detail(family, Record(bytes.fromhex(fields['body']))) if detail and fields['body'] else {})


def pack_event(family, data):
    """Type 54 has its own vocabulary: 2 is the pack's charge, tenths of a percent after a revision byte."""
    fields = envelope(data)
    if fields['event'] == 2 and fields['body']:
        fields['pack_percent'] = charge(Record(bytes.fromhex(fields['body'])).u16(1))
    return fields


def console(family, data):
    fields = envelope(data)
    body = bytes.fromhex(fields['body'] or '')
    fields['text'] = body[1:].split(b'\0')[0].decode(errors='replace') if body[:1] == b'\1' else None
    return fields


def metadata(family, data):
    record = Record(data)
    fields = {'sequence': record.u8(1), 'kind': record.u8(2), 'unix': record.u32(3), 'subsecond': record.u16(7)}
    if fields['kind'] == START:
        fields |= {'hardware': record.u32(9), 'firmware': responses.version(record.many('I', 21, 4)),
                   'signal_processor': responses.version(record.many('B', 37, 3))}
    elif fields['kind'] == END and len(record) >= 21:
        token = record.hex(13, 8)
        fields |= {'burst_frames': record.u32(9), 'token': token, 'trim_page': record.u32(13),
                   'wraps': record.u32(17), 'nothing_stored': token == NOTHING_STORED}
    return fields


def sequence_only(family, data):
    """Types 53 and 55: named in WHOOP.md, their layouts unknown."""
    return {'sequence': Record(data).u8(1)}


def motion_stream(family, data):
    return blocks.stream_51(data)


READERS = {36: responses.read, 38: responses.envelope, 40: live, 43: records.read, 47: records.read, 48: event,
           49: metadata, 50: console, 51: motion_stream, 52: motion_stream, 53: sequence_only, 54: pack_event,
           55: sequence_only, 56: metadata}


def read(family, frame):
    """What one whole frame says, or None if its envelope does not hold."""
    data = inner(family, frame)
    if data is None:
        return None
    fields = {'family': family.value, 'type': data[0]}
    if family is Family.FIVE:
        fields |= {'revision': frame[1], 'roles': frame[4:6].hex()}
        if frame[1] != 1:
            return fields  # WHOOP.md 3.2: an unknown revision is archived, not decoded
    return fields | READERS[data[0]](family, data) if data[0] in READERS else fields
