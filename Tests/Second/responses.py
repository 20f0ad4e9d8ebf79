"""Responses: the bodies of command responses, types 36 and 38 (WHOOP.md 4.3, 5.2 to 5.10).

Owns what a reply says, command by command. A body is read only when its result makes it worth reading; a serial number
is read because the vectors ask for it, a device token never is.
"""
from bytes_at import FIRST_TIME, Record, bits, charge, flag, within
from envelope import Family

SUCCESS, UNSUPPORTED = 1, 3
CHARGE_WITHOUT_SUCCESS = 26  # the 4.0 value is there whatever the result says (WHOOP.md 4.3)


def version(numbers):
    """Dotted; all zero says nothing."""
    return '.'.join(map(str, [*numbers, 0][:4])) if numbers and any(numbers) else None


def hello_4(body):
    if body.u8(0) != 4 or len(body) < 115:
        return {}
    return {'battery_percent': charge(body.u32(1)), 'charging': int(body.u8(5) != 0), 'clock_unix': body.u32(6),
            'clock_subsecond': bits(body.u32(10), 0, 0xFFFF), 'serial': body.text(14, 10), 'hardware': body.u32(78),
            'firmware': version(body.many('I', 90, 4)), 'signal_processor': version(body.many('B', 106, 3)),
            'worn': flag(body.u8(114))}


def hello_5(body):
    if body.u8(0) != 1 or len(body) < 104:
        return {}
    return {'battery_percent': charge(body.u32(1)), 'charging': bits(body.u8(5), 0, 1),
            'clock_unix': body.u32(6), 'clock_subsecond': bits(body.u32(10), 0, 0xFFFF), 'serial': body.text(14, 11),
            'hardware': body.u32(79), 'board': body.u32(83), 'optical': body.u32(87),
            'firmware': version([*body.many('B', 91, 3), body.u32(94)]), 'signal_processor': version(body.many('B', 98, 3)),
            'heart_rate_broadcast': flag(body.u8(101)), 'on_wrist': flag(body.u8(102)), 'error': body.i8(103)}


def versions(body):
    if body.u8(0) != 1:
        return {}
    return {'firmware': version(body.many('I', 1, 4)), 'coprocessor': version(body.many('I', 17, 4)),
            'signal_processor': version(body.many('B', 65, 3))}


def clock(body):
    return {'clock_unix': body.u32(0), 'clock_subsecond': bits(body.u32(4), 0, 0xFFFF)}


def battery_4(body):
    return {'battery_percent': charge(body.u16(0))}


def battery_5(body):
    return {'battery_percent': within(body.u8(0), 0, 100)}


def data_range(body):
    write, trim, total = body.u32(9), body.u32(13), body.u32(21)
    if body.u8(0) != 1 or not total:  # a ring of no pages is no range
        return {}
    oldest, trimmed, read, newest = (within(body.u32(at), FIRST_TIME, 0xFFFFFFFF) for at in (33, 41, 49, 57))
    if oldest is not None and newest is not None and oldest > newest:
        oldest = None  # of the two the word that is known to hold garbage
    return {'old_page': body.u32(1), 'read_page': body.u32(5), 'write_page': write, 'trim_page': trim,
            'wraps': body.u32(17), 'pages': total, 'used_records': body.u32(25), 'free_records': body.u32(29),
            'oldest_unix': oldest, 'trim_unix': trimmed, 'read_unix': read, 'newest_unix': newest,
            'pages_behind': (write - trim) % total if None not in (write, trim) else None}


def alarm_4(body):
    return {'alarm_enabled': flag(body.u8(1)), 'alarm_unix': body.u32(2) or None} if body.u8(0) == 1 else {}


def alarm_5(body):
    return {'alarm_enabled': flag(body.u8(1)), 'alarm_unix': body.u32(2), 'alarm_subsecond': body.u16(6)} \
        if body.u8(0) == 4 else {}


def name(body):
    size = body.u8(2)
    return {'name': body.text(3, size)} if size is not None and body.u8(0) == 1 else {}


def key_count(body):
    return {'key_count': body.u16(1)} if body.u8(0) == 1 else {}


def next_key(body):
    return {'key_index': body.u8(1), 'key': body.text(3, 32)} if body.u8(0) == 1 and len(body) >= 35 else {}


def setting(body):
    return {'key': body.text(1, 32), 'value': body.text(33, 32)} if body.u8(0) == 1 else {}


def pack(body):
    """The battery pack; all zero means that there is none."""
    if not any(body.data[1:28]):
        return {'pack_attached': flag(body.u8(1))}
    return {'pack_attached': flag(body.u8(1)), 'pack_address': body.hex(2, 6), 'pack_serial': body.text(8, 16),
            'pack_percent': charge(body.u16(24)), 'pack_type': body.u8(26)}


BOTH = {11: clock, 34: data_range, 115: key_count, 117: key_count, 116: next_key, 118: next_key, 119: setting,
        120: setting, 121: setting, 128: setting}
BODIES = {Family.FOUR: BOTH | {7: versions, 26: battery_4, 35: hello_4, 67: alarm_4, 76: name},
          Family.FIVE: BOTH | {26: battery_5, 67: alarm_5, 141: name, 145: hello_5, 151: pack}}


def envelope(family, data):
    """What the battery pack answers through the strap (type 38) is its own: its body is not read as the strap's."""
    record = Record(data)
    return {'sequence': record.u8(1), 'command': record.u8(2), 'request_sequence': record.u8(3), 'result': record.u8(4),
            'body': record.hex(5)}


def read(family, data):
    fields = envelope(family, data)
    command, result = fields['command'], fields['result']
    believed = result == SUCCESS or (family is Family.FOUR and command == CHARGE_WITHOUT_SUCCESS and result != UNSUPPORTED)
    body = BODIES[family].get(command)
    return fields | (body(Record(data[5:])) if body and believed else {})
