#!/usr/bin/env python3
"""Record a btsnoop log: Bumble as the phone, this folder's strap, and a headset that is of no interest. No kernel, no root.

    record.py --family 4 --out four.btsnoop [--mtu 23] [--late] [--records N]

Beside the log it writes `….frames`: what a reader of the log must find, seen by the application above Bumble's stack and
not by HCI. `<` is a frame from the strap, `>` one to it, `h` a value of 2A37. With --late recording begins after the
discovery, as on a phone that remembers handles.
"""
import argparse
import asyncio
import tempfile
from pathlib import Path

from bumble import hci
from bumble.core import UUID
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, Service
from bumble.host import Host
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.snoop import BtSnooper

import frame
import strap as strap_module
from gatt import ADDRESS, BASE
from radio import Adapter

HEADSET = 'C1:22:33:44:55:66'


def device(name: str, address: str, air) -> Device:
    config = DeviceConfiguration()
    config.name, config.address = name, hci.Address(address)
    adapter = Adapter(name, link=air)
    made = Device(config=config, host=Host(controller_source=adapter, controller_sink=adapter))
    made.pairing_config_factory = lambda _: PairingConfig(
        sc=False, mitm=False, bonding=True, delegate=PairingDelegate(PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT))
    return made


class Phone:
    def __init__(self, options, air, strap):
        self.options, self.strap = options, strap
        self.family = frame.Family(options.family)
        self.device = device('phone', 'F5:F5:F5:F5:F5:F5', air)
        self.seen: list[str] = []
        self.parts: dict[str, bytes] = {}
        self.seq = 0
        self.complete = asyncio.Event()
        self.recording = False

    def record(self, path: Path):
        self.file = path.open('wb')
        self.device.host.snooper = BtSnooper(self.file)
        self.recording = True

    def came(self, name: str, value: bytes):
        """Joins notifications to frames by the length in the header; the strap of this folder sends none that is broken."""
        joined = self.parts.pop(name, b'') + value
        length = int.from_bytes(joined[1:3] if self.family == 4 else joined[2:4], 'little') + (4 if self.family == 4 else 8)
        if len(joined) < length:
            self.parts[name] = joined
            return
        assert len(joined) == length
        inner = frame.unwrap(self.family, joined)
        if self.recording:
            self.seen.append('< ' + joined.hex())
        if inner[0] == 49 and inner[2] == frame.END:
            asyncio.get_running_loop().create_task(self.tell(23, b'\x01' + inner[13:21]))
        if inner[0] == 49 and inner[2] == frame.COMPLETE:
            self.complete.set()

    def beat(self, value: bytes):
        if self.recording:
            self.seen.append('h ' + value.hex())

    async def tell(self, number: int, payload: bytes = b'\0'):
        self.seq += 1
        value = frame.wrap(self.family, frame.command(self.seq, number, payload), to_strap=True)
        if self.recording:
            self.seen.append('> ' + value.hex())
        await self.command.write_value(value, with_response=True)

    async def join(self):
        connection = await self.device.connect(ADDRESS['random'])
        peer = Peer(connection)
        if self.options.mtu != 23:
            await peer.request_mtu(self.options.mtu)
        await connection.pair()
        await peer.discover_services()
        await peer.discover_characteristics()
        base = BASE[self.family]
        find = lambda uuid: peer.get_characteristics_by_uuid(UUID(uuid))[0]
        self.command = find(base.format(2))
        for number in (3, 4, 5):
            await peer.subscribe(find(base.format(number)), lambda value, name=str(number): self.came(name, bytes(value)))
        await peer.subscribe(find('2A37'), lambda value: self.beat(bytes(value)))
        return connection


async def record(options):
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / 'log'
        strap = strap_module.Strap(strap_module.arguments([
            '--family', str(options.family), '--hci', f'{folder}/hci', '--log', str(log), '--rate', '0', '--hr', '60-64',
            '--records', str(options.records), '--pairing-mode', 'on']))
        running = asyncio.create_task(strap.run())
        phone = Phone(options, strap.air, strap)
        headset = device('headset', HEADSET, strap.air)
        level = Characteristic(UUID.from_16_bits(0x2A19), Characteristic.Properties.NOTIFY, Characteristic.READABLE, bytes([70]))
        headset.add_service(Service(UUID.from_16_bits(0x180F), [level]))
        await headset.power_on()
        await headset.start_advertising()
        await phone.device.power_on()
        if not options.late:
            phone.record(Path(options.out))

        music = await phone.device.connect(HEADSET)
        connection = await phone.join()
        peer = Peer(music)
        await peer.discover_services()
        await peer.discover_characteristics()
        await peer.subscribe(peer.get_characteristics_by_uuid(UUID.from_16_bits(0x2A19))[0], lambda value: None)
        if options.late:
            phone.record(Path(options.out))
        for number in (35 if options.family == 4 else 145, 11, 26, 34):
            await phone.tell(number, b'\0' if options.family == 4 else b'\x01')
            await asyncio.sleep(0.2)
            await headset.notify_subscribers(level, bytes([60]))
        await phone.tell(3, b'\x01')
        await phone.tell(22)
        await asyncio.wait_for(phone.complete.wait(), 60)
        await asyncio.sleep(2.2)
        await connection.disconnect()
        await asyncio.sleep(0.1)
        phone.file.close()
        Path(options.out).with_suffix('.frames').write_text('\n'.join(phone.seen) + '\n')
        strap.stopped.set()
        await running


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--family', type=int, choices=[4, 5], default=4)
    parser.add_argument('--out', required=True)
    parser.add_argument('--mtu', type=int, default=247)
    parser.add_argument('--records', type=int, default=60, help='history records to serve')
    parser.add_argument('--late', action='store_true', help='record from after the discovery')
    asyncio.run(record(parser.parse_args()))
