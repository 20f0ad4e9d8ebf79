"""The strap's answer to each command but HISTORICAL_DATA_RESULT, family by family (WHOOP.md 4.3, 5.1 to 5.9).

Owns reply bodies and result codes; the offload itself is Firmware's. A number that this table does not hold is answered
"unsupported", and those that a client must never send are logged as forbidden before anything else happens.
"""
import asyncio
import struct

from frame import Family

FAILURE, SUCCESS, PENDING, UNSUPPORTED = range(4)
SERIAL = {Family.FOUR: b'4C0000001', Family.FIVE: b'5AG0000001'}
NAME = {family: b'WHOOP ' + serial for family, serial in SERIAL.items()}
TOKEN = b'0' * 54  # the device token; a real one is secret-like

NAMES = {
    1: 'LINK_VALID', 3: 'TOGGLE_REALTIME_HR', 7: 'REPORT_VERSION_INFO', 10: 'SET_CLOCK', 11: 'GET_CLOCK',
    19: 'RUN_HAPTIC_PATTERN_MAVERICK', 20: 'ABORT_HISTORICAL_TRANSMITS', 22: 'SEND_HISTORICAL_DATA',
    23: 'HISTORICAL_DATA_RESULT', 26: 'GET_BATTERY_LEVEL', 34: 'GET_DATA_RANGE', 35: 'GET_HELLO_HARVARD',
    63: 'SEND_R10_R11_REALTIME', 66: 'SET_ALARM_TIME', 67: 'GET_ALARM_TIME', 68: 'RUN_ALARM', 69: 'DISABLE_ALARM',
    76: 'GET_ADVERTISING_NAME_HARVARD', 79: 'RUN_HAPTICS_PATTERN', 97: 'EXIT_HIGH_FREQ_SYNC', 122: 'STOP_HAPTICS',
    141: 'GET_ADVERTISING_NAME', 145: 'GET_HELLO',
}
ONLY_FOUR = {7, 35, 76, 79}
ONLY_FIVE = {19, 141, 145}


class Commands:
    # destructive numbers, and 96, after which a strap that loses its client stops recording
    FORBIDDEN = {15, 25, 29, 32, 33, 36, 37, 38, 45, 83, 96, 99, 142, 143, 144, 153, 154}

    @staticmethod
    def name(number: int) -> str:
        return NAMES.get(number, str(number))

    async def execute(self, number: int, seq: int, payload: bytes):
        four = self.family == Family.FOUR
        if number in (35, 145, 10) and self.offload and not self.offload.done():
            self.log('offload_stopped', why=f'{self.name(number)} during an offload')  # WHOOP.md 9.2, Handshake
            self.stop_offload()
        handler = getattr(self, f'_command_{number}', None)
        if handler is None or number in (ONLY_FIVE if four else ONLY_FOUR):
            return await self.answer(number, seq, UNSUPPORTED)
        await handler(seq, payload, four)

    async def _command_1(self, seq, payload, four):
        await self.answer(1, seq, SUCCESS, b'There it is.')

    async def _command_3(self, seq, payload, four):
        self.realtime = payload[0] == 1
        await self.answer(3, seq, PENDING if four else SUCCESS)
        await self.emit(33 if self.realtime else 34)

    async def _command_7(self, seq, payload, four):
        versions = (41, 17, 6, 0, 17, 2, 2, 0, 3, 4, 0, 0, 3, 6, 0, 0)
        await self.answer(7, seq, SUCCESS, struct.pack('<B16I3B', 1, *versions, 8, 5, 1))

    async def _command_10(self, seq, payload, four):
        before = self.now()[0]
        unix, subsecond = struct.unpack_from('<II', payload.ljust(8, b'\0'))
        latched = not self.options.ignore_set_clock
        if latched:
            self.set_clock(unix + subsecond / 32768)
        self.log('clock_set', before=before, asked=unix, latched=latched)
        await self.answer(10, seq, SUCCESS)
        if latched:
            await self.emit(16)

    async def _command_11(self, seq, payload, four):
        await self.answer(11, seq, SUCCESS, struct.pack('<II', *self.now()))

    async def _command_19(self, seq, payload, four):
        await self.answer(19, seq, PENDING, b'\x01\x01')
        await self._buzz()

    async def _command_20(self, seq, payload, four):
        if self.offload and not self.offload.done():
            self.log('offload_stopped', why='aborted')
        self.stop_offload()
        await self.answer(20, seq, SUCCESS)

    async def _command_22(self, seq, payload, four):
        await self.answer(22, seq, PENDING if four else SUCCESS, b'\x0b')
        self.start_offload()

    async def _command_26(self, seq, payload, four):
        level = struct.pack('<H', self.battery_tenths) if four else bytes([self.battery_tenths // 10])
        await self.answer(26, seq, SUCCESS, level)

    async def _command_34(self, seq, payload, four):
        if not four:
            await self.answer(34, seq, PENDING)
        await self.answer(34, seq, SUCCESS, self.flash.data_range())

    async def _command_35(self, seq, payload, four):
        body = struct.pack('<BIBII10s54s3I4I3BB4xB3I4x', 4, self.battery_tenths, 0, *self.now(), SERIAL[self.family], TOKEN,
                           6, 2, 16, 41, 17, 6, 0, 8, 5, 1, 0, self.worn, 17, 2, 2)
        await self.answer(35, seq, SUCCESS, body)

    async def _command_145(self, seq, payload, four):
        if payload[0] != 1:
            return await self.answer(145, seq, FAILURE)
        await self.answer(145, seq, PENDING, bytes(104))
        body = struct.pack('<BIBII11s54s3I3BI3BBBb', 1, self.battery_tenths, 0, *self.now(), SERIAL[self.family], TOKEN,
                           13, 2, 82, 50, 40, 1, 0, 11, 1, 0, self.options.broadcast, self.worn, 0)
        await self.answer(145, seq, SUCCESS, body)

    async def _command_63(self, seq, payload, four):
        await self.answer(63, seq, PENDING if four else SUCCESS)

    async def _command_66(self, seq, payload, four):
        self.set_alarm(payload)
        await self.answer(66, seq, SUCCESS, b'' if four else b'\x04\x01')
        await self.emit(56, payload)

    async def _command_67(self, seq, payload, four):
        unix = struct.unpack_from('<I', self.alarm, 1 if four else 2)[0] if self.alarm else 0
        await self.answer(67, seq, SUCCESS, struct.pack('<BBIHH', 1 if four else 4, bool(self.alarm), unix, 0, 0))

    async def _command_68(self, seq, payload, four):
        await self.answer(68, seq, SUCCESS, b'' if four else b'\x02\x01')
        await self.emit(57)
        await self._buzz()

    async def _command_69(self, seq, payload, four):
        self.set_alarm(b'')
        await self.answer(69, seq, SUCCESS)
        if four:
            await self.emit(59)

    async def _command_76(self, seq, payload, four):
        await self.answer(76, seq, SUCCESS, bytes([1, 1, len(NAME[self.family])]) + NAME[self.family])

    async def _command_141(self, seq, payload, four):
        if payload[0] != 1:
            return await self.answer(141, seq, FAILURE)
        await self.answer(141, seq, SUCCESS, bytes([1, 1, len(NAME[self.family])]) + NAME[self.family])

    async def _command_79(self, seq, payload, four):
        await self.answer(79, seq, SUCCESS)
        await self._buzz()

    async def _command_97(self, seq, payload, four):
        await self.answer(97, seq, SUCCESS)
        await self.emit(98)

    async def _command_122(self, seq, payload, four):
        await self.answer(122, seq, SUCCESS)

    async def _buzz(self):
        await self.emit(60)
        if self.family == Family.FIVE:
            async def ended():
                await asyncio.sleep(1.2)
                await self.emit(100, b'\x01\x00')
            asyncio.get_running_loop().create_task(ended())
