"""What the strap does with a command and with time: answers, live heart rate, events, and the history offload.

Owns the strap's behaviour (WHOOP.md 4.3, 5, 7.1, 9) behind a `link` that can only notify and be lost. The trim pointer
moves in one place, `_result`, and only for an acknowledgement that is right to the byte.
"""
import asyncio
import struct
import time

import frame
from commands import Commands
from frame import Family
from flash import Flash


class Firmware(Commands):
    def __init__(self, flash: Flash, link, log, options):
        self.flash, self.link, self.log, self.options = flash, link, log, options
        self.family = flash.family
        settings = flash.saved['settings']
        self.clock_offset = settings.get('clock_offset', options.clock)  # strap time minus the machine's time
        self.alarm = bytes.fromhex(settings.get('alarm', ''))
        self.battery_tenths, self.worn = 499, True
        self.response_seq = self.event_seq = 0
        self.packets = 0  # history frames put on the air since the process began, for the faults
        self.offload: asyncio.Task | None = None
        self.partial = b''
        self.link_down()

    # -- the link's life

    def link_down(self):
        """Everything that a connection owns ends with it; flash, clock and alarm do not."""
        self.realtime = False
        self.partial = b''
        self.offered: tuple[bytes, float] | None = None  # token of the END on the air, and when it went out
        self.verdict: asyncio.Future | None = None
        self.stop_offload()

    def stop_offload(self):
        if self.offload:
            self.offload.cancel()
        self.offload, self.offered = None, None

    def set_clock(self, unix: float):
        self.clock_offset = unix - time.time()
        self._keep('clock_offset', self.clock_offset)

    def set_alarm(self, payload: bytes):
        self.alarm = payload
        self._keep('alarm', payload.hex())

    def _keep(self, name: str, value):
        self.flash.saved['settings'][name] = value
        self.flash.save()

    def now(self) -> tuple[int, int]:
        """The strap's clock: unix seconds and 1/32768 s."""
        stamp = max(0.0, time.time() + self.clock_offset)
        return int(stamp), int(stamp % 1 * frame.SUBSECONDS)

    async def send(self, characteristic: str, inner: bytes) -> bool:
        return await self.link.notify(characteristic, frame.wrap(self.family, inner))

    async def emit(self, number: int, body: bytes = b''):
        self.event_seq += 1
        delivered = await self.send('event', frame.event(self.event_seq, number, *self.now(), body))
        self.log('event', id=number, delivered=delivered)

    async def answer(self, number: int, seq: int, result: int, body: bytes = b''):
        self.response_seq += 1
        self.log('response', cmd=number, result=result)
        await self.send('response', frame.response(self.response_seq, number, seq, result, body))

    # -- commands in

    async def receive(self, data: bytes):
        """Bytes written to the command characteristic: one frame, or a piece of one when the MTU is small."""
        starts_anew = frame.total_size(self.family, data) == len(data) and data[:1] == b'\xaa'
        self.partial = data if starts_anew else self.partial + data
        size = frame.total_size(self.family, self.partial)
        if self.partial[:1] == b'\xaa' and (size is None or len(self.partial) < size <= 4096):
            self.log('partial_command', bytes=len(self.partial))
            return
        whole, self.partial = self.partial, b''
        try:
            inner = frame.unwrap(self.family, whole)
            if len(inner) % 4:
                raise frame.FrameError('not padded')
            if len(inner) < 4 or inner[0] != 35:
                raise frame.FrameError('no command')
        except frame.FrameError as error:
            self.log('command_ignored', why=str(error), hex=whole.hex())
            return
        number = inner[2]
        self.log('command', cmd=number, name=self.name(number), seq=inner[1], payload=inner[3:].hex(), hex=whole.hex(),
                 forbidden=number in self.FORBIDDEN)
        if number == 23:
            await self._result(inner[1], inner[3:], whole)
        else:
            await self.execute(number, inner[1], inner[3:])

    # -- history out

    def start_offload(self):
        self.stop_offload()
        self.offload = asyncio.get_running_loop().create_task(self._offload())

    async def exchange(self, serve: str, as_recorded: bool):
        """Other history from now on. A client that waits for more of the old is told that there is none."""
        self.flash.exchange(serve, as_recorded)
        if self.offload:
            self.stop_offload()
            await self.send('data', frame.history_complete(0, self.now()[0]))

    async def _offload(self):
        why, fresh = 'asked', self.flash.current is not None
        while (burst := self.flash.current) is not None:
            self.log('burst', index=self.flash.trim, why=why, frames=len(burst.frames), records=burst.records,
                     token=burst.token.hex() if burst.token else None)
            await self._serve(burst.frames[:-1])
            if burst.token == frame.NO_TOKEN:
                await self._serve(burst.frames[-1:])
                self.log('nothing_stored')
                return
            if burst.token is None:  # a recorded END that is damaged: the recording repeats the burst
                await self._serve(burst.frames[-1:])
                await asyncio.sleep(min(1.0, self.options.resend_after))
                self.flash.release(None)
                why = 'damaged end'
                continue
            # before it is on the air: an acknowledgement may be faster than the pause that follows a packet
            self.offered = (burst.token, time.monotonic())
            self.verdict = asyncio.get_running_loop().create_future()
            self.log('end', index=self.flash.trim, token=burst.token.hex())
            await self._serve(burst.frames[-1:])
            # not wait_for, which swallows a cancellation that meets a verdict
            await asyncio.wait([self.verdict], timeout=self.options.resend_after)
            why = self.verdict.result() if self.verdict.done() else 'no acknowledgement'
            self.offered = None
        if fresh:
            await self._serve(self.flash.tail)
        elif self.family == Family.FOUR:
            await self.send('data', frame.history_complete(0, self.now()[0]))
        else:  # caught up: an END without a token
            await self.send('data', frame.history_start(frame.MODEL[self.family], 0, *self.now()))
            await self.send('data', frame.history_end(1, self.now()[0], 0, frame.NO_TOKEN))
        self.log('served', bursts=len(self.flash.bursts), fresh=fresh)

    async def _serve(self, frames: list[bytes]):
        """Frames to the data characteristic at the strap's pace, through the faults that were asked for."""
        options, began = self.options, time.monotonic()
        for sent, one in enumerate(frames):
            self.packets += 1
            every = options.lose_link_every
            if self.packets == options.lose_link_after or every and self.packets % every == 0:
                self.log('fault', kind='link lost', packet=self.packets)
                self.link.lose()
                return await asyncio.sleep(3600)  # the link's end cancels this task
            if self.packets == options.drop_frame:
                self.log('fault', kind='frame dropped', packet=self.packets)
                continue
            if options.flip_bit_every and self.packets % options.flip_bit_every == 0:
                self.log('fault', kind='bit flipped', packet=self.packets)
                at = self.packets % len(one)
                one = one[:at] + bytes([one[at] ^ 1 << self.packets % 8]) + one[at + 1:]
            await self.link.notify('data', one)
            if options.rate and (ahead := (sent + 1) / options.rate - (time.monotonic() - began)) > 0.004:
                await asyncio.sleep(ahead)  # several frames, then a pause: as connection events do

    async def _result(self, seq: int, payload: bytes, whole: bytes):
        """HISTORICAL_DATA_RESULT: the only way to move the trim pointer."""
        echoed = 0 if self.family == Family.FOUR else seq
        offered = self.offered
        if payload[:2] == b'\0\0':
            self.log('nack')
            self._decide('refused')
            return await self.answer(23, echoed, 1)
        token = payload[1:9]
        exact = whole == frame.wrap(self.family, frame.command(seq, 23, b'\x01' + token), to_strap=True)
        if exact and offered and token == offered[0]:
            self.flash.release(token)
            self.log('ack', token=token.hex(), after_end_ms=round((time.monotonic() - offered[1]) * 1000, 2),
                     released=self.flash.trim)
            await self.answer(23, echoed, 1)
            return self._decide('next')
        repeated = exact and token.hex() in self.flash.saved['released'][-1:]
        why = 'repeated' if repeated else 'not exact' if not exact else 'wrong token' if offered else 'no END is waiting'
        self.log('ack_ignored', why=why, hex=whole.hex())
        await self.answer(23, echoed, 1 if repeated else 0)

    def _decide(self, what: str):
        if self.verdict and not self.verdict.done():
            self.verdict.set_result(what)
            self.offered = None

    # -- once a second

    async def beat(self, bpm: int):
        """Live heart rate: 2A37, and type 40 while it is armed."""
        rr = [round(60000 / bpm)] if bpm else []
        if self.realtime or self.options.broadcast:
            await self.link.notify('heart_rate', frame.heart_rate_measurement(bpm, rr))
        if self.realtime:
            await self.send('data', frame.realtime(*self.now(), bpm, rr, self.worn))
