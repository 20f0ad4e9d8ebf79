#!/usr/bin/env python3
"""A WHOOP strap, 4.0 or 5.0, for somebody else's Bluetooth host: the far end of every test with a real kernel.

    strap.py --family 4 --hci hci.sock --control control.sock --state strap.json --log strap.jsonl

A host speaks H4 on the --hci socket (QEMU joins it to a guest's /dev/vhci). One line on the --control socket tells the
strap something, the answer is one JSON line (`help` lists the words). The log is one JSON line for each thing that happened.
"""
import argparse
import asyncio
import json
import logging
import sys
import time
from pathlib import Path

import frame
from commands import SERIAL
from firmware import Firmware
from flash import Flash
from gatt import ADDRESS, Peripheral
from radio import Adapter, Air, HostPort


class Log:
    """JSON lines: `t` seconds since the start, `link` the number of the connection (0 before the first)."""

    def __init__(self, path: str | None):
        self.file = open(path, 'a', buffering=1) if path else sys.stdout
        self.began, self.link, self.counts = time.monotonic(), 0, {}

    def __call__(self, event: str, **fields):
        self.counts[event] = self.counts.get(event, 0) + 1
        stamp = {'t': round(time.monotonic() - self.began, 4), 'link': self.link, 'event': event}
        print(json.dumps(stamp | fields), file=self.file, flush=True)


class HeartRate:
    """`72`, `60,65,70` (one a second, round and round) or `60-180` (up and down by one)."""

    def __init__(self, pattern: str):
        self.set(pattern)

    def set(self, pattern: str):
        if '-' in pattern:
            low, high = map(int, pattern.split('-'))
            self.values = [*range(low, high), *range(high, low, -1)]
        else:
            self.values = [int(value) for value in pattern.split(',')]
        self.at = 0

    def next(self) -> int:
        value = self.values[self.at % len(self.values)]
        self.at += 1
        return value


class Strap:
    def __init__(self, options):
        self.options, self.log, self.heart = options, Log(options.log), HeartRate(options.hr)
        family = frame.Family(options.family)
        self.flash = Flash(family, options.serve, Path(options.state) if options.state else None, options.records)
        self.air = Air()
        address = ADDRESS['public'] if options.address == 'public' else None
        self.controller = Adapter('strap', link=self.air, public_address=address)
        self.peripheral = Peripheral(self.controller, self.flash, self.log, options)
        self.firmware = Firmware(self.flash, self.peripheral, self.log, options)
        self.peripheral.on_link_down = self.firmware.link_down
        self.stopped = asyncio.Event()
        self.hosts: list[Adapter] = []

    async def run(self):
        loop = asyncio.get_running_loop()
        await self.peripheral.power_on()
        Path(self.options.hci).unlink(missing_ok=True)
        servers = [await loop.create_unix_server(lambda: HostPort(self.air, self._host_changed), self.options.hci)]
        if self.options.control:
            Path(self.options.control).unlink(missing_ok=True)
            servers.append(await asyncio.start_unix_server(self._control, self.options.control))
        tasks = [asyncio.create_task(task) for task in (self._commands(), self._seconds(), *self._timed())]
        self.log('ready', family=self.options.family, serve=self.options.serve, bursts=len(self.flash.bursts),
                 records=sum(b.records for b in self.flash.bursts), trim=self.flash.trim, bonds=len(self.flash.saved['bonds']))
        done, _ = await asyncio.wait([*tasks, loop.create_task(self.stopped.wait())], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()  # a task that died takes the strap with it, loudly
        self.log('stopped')
        for server in servers:
            server.close()

    def _host_changed(self, adapter, present):
        self.hosts = [h for h in self.hosts if h is not adapter] + ([adapter] if present else [])
        self.log('host', present=present)

    async def _commands(self):
        while True:
            data = await self.peripheral.written.get()
            await asyncio.sleep(0)  # the ATT write response goes out first
            await self.firmware.receive(data)

    async def _seconds(self):
        due = time.monotonic()
        while True:
            due += 1
            await asyncio.sleep(max(0, due - time.monotonic()))
            await self.firmware.beat(self.heart.next())

    def _timed(self):
        async def forever_after(seconds, words):
            await asyncio.sleep(seconds)
            await self.tell(words)
            await asyncio.Event().wait()
        for seconds in self.options.double_tap_at:
            yield forever_after(seconds, ['doubletap'])
        mode, _, seconds = self.options.pairing_mode.partition(':')
        if mode == 'after':
            yield forever_after(float(seconds), ['pairing', 'on'])

    # -- the control socket

    async def _control(self, reader, writer):
        while line := await reader.readline():
            try:
                answer = await self.tell(line.decode().split())
            except (ValueError, IndexError) as error:
                answer = {'error': str(error)}
            writer.write(json.dumps(answer).encode() + b'\n')
            await writer.drain()
        writer.close()

    async def tell(self, words: list[str]) -> dict:
        """doubletap | wrist on|off | charging on|off | loselink | advertise on|off | pairing on|off |
        keyfault missing|wrong|off | forget | mute on|off | serve night|ID [as-recorded] | rate PACKETS | loseevery PACKETS |
        bank SECONDS | hr PATTERN | battery PERCENT | rssi DBM | status | help | stop"""
        word, value = (words + ['', ''])[:2]
        self.log('told', words=' '.join(words))
        match word:
            case 'doubletap':
                await self.firmware.emit(14)
            case 'wrist':
                self.firmware.worn = value == 'on'
                await self.firmware.emit(9 if self.firmware.worn else 10)
            case 'charging':
                await self.firmware.emit(7 if value == 'on' else 8)
            case 'loselink':
                self.peripheral.lose()
            case 'advertise':
                await self.peripheral.advertise(value == 'on')
            case 'pairing':
                self.peripheral.pairing_open = value == 'on'
            case 'keyfault':
                self.peripheral.keyfault = None if value == 'off' else value
            case 'forget':
                await self.peripheral.device.keystore.delete_all()
            case 'mute':
                self.peripheral.mute = value == 'on'
            case 'serve':
                await self.firmware.exchange(value, 'as-recorded' in words)
            case 'rate':
                self.options.rate = float(value)
            case 'loseevery':
                self.options.lose_link_every = int(value)
            case 'bank':
                self.flash.bank(self.firmware.now()[0], int(value))
            case 'hr':
                self.heart.set(value)
            case 'battery':
                self.firmware.battery_tenths = int(value) * 10
            case 'rssi':
                for adapter in self.hosts:
                    adapter.rssi_dbm = int(value)
            case 'status':
                return self.status()
            case 'stop':
                self.stopped.set()
            case 'help':
                return {'words': ' '.join(self.tell.__doc__.split())}
            case _:
                raise ValueError(f'no such word: {word}')
        return {'done': word}

    def status(self) -> dict:
        connection = self.peripheral.connection
        return {'family': self.options.family, 'serial': SERIAL[self.flash.family].decode(), 'link': self.log.link,
                'connected': connection is not None, 'encrypted': bool(connection and connection.encryption),
                'trim': self.flash.trim, 'bursts': len(self.flash.bursts), 'realtime': self.firmware.realtime,
                'bonds': len(self.flash.saved['bonds']), 'clock': self.firmware.now()[0], 'counts': self.log.counts}


def clock_offset(text: str) -> float:
    """`now`, seconds to add to the machine's time (`-90000`), or `unset`: a strap whose battery went flat (1971)."""
    return 0.0 if text == 'now' else 31_600_000 - time.time() if text == 'unset' else float(text)


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('--family', type=int, choices=[4, 5], default=4)
    add('--hci', required=True, help='Unix socket on which a host speaks H4')
    add('--control', help='Unix socket for words from a running test')
    add('--state', help='JSON file that survives: trim pointer, released tokens, bonds, clock, alarm')
    add('--log', help='JSON lines are appended here (default: standard output)')
    add('--serve', default='night', help='night, or the id of a recorded session ([FILE#]ID)')
    add('--records', type=int, help='serve only the first N records of the night')
    add('--rate', type=float, default=110, help='history packets a second; 0: as fast as the link takes them')
    add('--resend-after', type=float, default=8, help='seconds without acknowledgement before a burst is served again')
    add('--hr', default='60-180', help='heart rate: BPM, B,P,M or LOW-HIGH')
    add('--broadcast', choices=['on', 'off'], default='on', help='2A37 notifies although cmd 3 is not armed')
    add('--clock', type=clock_offset, default=0.0, help='now, unset, or seconds to add')
    add('--ignore-set-clock', action='store_true', help='SET_CLOCK answers success and latches nothing')
    add('--pairing-mode', help='on, off or after:SECONDS (default: 4.0 on, 5.0 off)')
    add('--sc', action='store_true', help='LE Secure Connections; straps pair legacy')
    add('--keyfault', choices=['wrong', 'missing'], help='the strap lost its bond')
    add('--mtu', choices=['23', '185', '247', 'refuse'], default='247')
    add('--address', choices=['random', 'public'], default='random')
    add('--advertise', choices=['complete', 'incomplete', 'scan-response'], default='complete', help='where the service UUID is')
    add('--lose-link-after', type=int, metavar='N', help='supervision timeout in place of the Nth history packet')
    add('--lose-link-every', type=int, metavar='N', help='supervision timeout in place of every Nth history packet')
    add('--drop-frame', type=int, metavar='N', help='the Nth history packet is never sent')
    add('--flip-bit-every', type=int, metavar='N', help='one bit of every Nth history packet is wrong')
    add('--double-tap-at', type=float, action='append', default=[], metavar='SECONDS')
    options = parser.parse_args(argv)
    options.broadcast = options.broadcast == 'on'
    options.pairing_mode = options.pairing_mode or ('on' if options.family == 4 else 'off')
    return options


async def main():
    try:
        strap = Strap(arguments())
    except ValueError as error:
        sys.exit(str(error))
    await strap.run()


if __name__ == '__main__':
    logging.basicConfig(level=logging.ERROR, format='%(name)s %(message)s')
    asyncio.run(main())
