"""The strap as a Bluetooth peripheral: advertising, GATT table, pairing and encryption rules of either family.

Owns the Bumble device and turns it into the `link` that Firmware asks for. The rules are WHOOP.md 1.3 and 1.4: nothing of
the vendor service works before encryption, each family refuses in its own way, and raising security is the central's task.
"""
import asyncio

from bumble import att, hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import (GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR as CCCD, Characteristic,
                         CharacteristicValue, Service)
from bumble.host import Host
from bumble.keys import KeyStore, PairingKeys
from bumble.pairing import PairingConfig, PairingDelegate

from commands import NAME, SERIAL
from frame import Family

BASE = {Family.FOUR: '6108{:04x}-8d6d-82b8-614a-1c8cb0f8dcc6', Family.FIVE: 'fd4b{:04x}-cce1-4033-93ce-002d5875f58a'}
ADDRESS = {'random': 'F0:F1:F2:F3:F4:F5', 'public': '00:A0:50:12:34:56/P'}
VENDOR_NOTIFY = {'response': 3, 'event': 4, 'data': 5, 'memfault': 7}
QUEUE_LIMIT = 48  # ACL packets that may wait in the controller before the strap pauses
ENCRYPT_ONLY = PairingDelegate.KeyDistribution.DISTRIBUTE_ENCRYPTION_KEY
properties, permissions = Characteristic.Properties, att.Attribute.Permissions


class FlashKeys(KeyStore):
    """Bonds, kept in the strap's flash file."""

    def __init__(self, flash):
        self.flash = flash

    async def update(self, name, keys):
        self.flash.saved['bonds'][name] = keys.to_dict()
        self.flash.save()

    async def get(self, name):
        saved = self.flash.saved['bonds'].get(name)
        return PairingKeys.from_dict(saved) if saved else None

    async def get_all(self):
        return [(name, PairingKeys.from_dict(saved)) for name, saved in self.flash.saved['bonds'].items()]

    async def delete(self, name):
        self.flash.saved['bonds'].pop(name, None)
        self.flash.save()


class Peripheral:
    def __init__(self, controller, flash, log, options):
        self.controller, self.flash, self.log, self.options = controller, flash, log, options
        self.family = flash.family
        self.pairing_open = options.pairing_mode == 'on'
        self.keyfault = options.keyfault
        self.mute = False  # a strap that keeps the link and says nothing
        self.connection = None
        self.written: asyncio.Queue[bytes] = asyncio.Queue()
        config = DeviceConfiguration()
        config.name = NAME[self.family].decode()
        config.address = hci.Address(ADDRESS['random'])
        config.advertising_interval_min = config.advertising_interval_max = 100.0
        self.device = Device(config=config, host=Host(controller_source=controller, controller_sink=controller))
        self.device.keystore = FlashKeys(flash)
        self.device.pairing_config_factory = self._pairing_config
        self.device.host.long_term_key_provider = self._long_term_key
        self.device.on('connection', self._connected)
        server = self.device.gatt_server
        self._answer_mtu = server.on_att_exchange_mtu_request
        server.on_att_exchange_mtu_request = self._mtu_asked
        self._take_pdu = server.on_gatt_pdu
        server.on_gatt_pdu = self._pdu_arrived
        self._write_command = server.on_att_write_command
        server.on_att_write_command = self._unconfirmed_write
        if options.mtu.isdigit():
            server.max_mtu = int(options.mtu)
        self._build_table()

    # -- the link that Firmware sees

    async def notify(self, name: str, value: bytes) -> bool:
        """Send `value` in as many notifications as the MTU asks for; False where a strap stays silent."""
        connection, characteristic = self.connection, self.characteristics[name]
        if connection is None or self.mute or (name in VENDOR_NOTIFY and not connection.encryption):
            return False
        subscribed = self.device.gatt_server.subscribers.get(connection, {}).get(characteristic.handle, b'\0')
        if not subscribed[0] & 1:
            return False
        size = connection.att_mtu - 3
        for at in range(0, len(value), size):
            await self.device.notify_subscriber(connection, characteristic, value[at:at + size])
            while self.connection is connection and self.device.host.le_acl_packet_queue.pending > QUEUE_LIMIT:
                await asyncio.sleep(0.001)
        return True

    def lose(self):
        self.controller.drop_links()

    async def power_on(self):
        await self.device.power_on()
        await self.advertise(True)

    async def advertise(self, on: bool):
        await self.device.stop_advertising()
        if on:
            kind = hci.OwnAddressType.PUBLIC if self.options.address == 'public' else hci.OwnAddressType.RANDOM
            await self.device.start_advertising(own_address_type=kind, auto_restart=True,
                                                **dict(zip(('advertising_data', 'scan_response_data'), self._advertisement())))

    def _advertisement(self) -> tuple[bytes, bytes]:
        data = AdvertisingData
        uuid = bytes(UUID(BASE[self.family].format(1)))
        kind = (data.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS if self.options.advertise == 'incomplete'
                else data.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS)
        name = (data.COMPLETE_LOCAL_NAME, NAME[self.family])
        first = [(data.FLAGS, b'\x06'), (data.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, b'\x0d\x18')]
        if self.options.advertise == 'scan-response':
            return bytes(AdvertisingData([*first, name])), bytes(AdvertisingData([(kind, uuid)]))
        return bytes(AdvertisingData([*first, (kind, uuid)])), bytes(AdvertisingData([name]))

    # -- GATT

    def _build_table(self):
        identity = {0x2A29: b'WHOOP Inc.', 0x2A25: SERIAL[self.family]}
        identity |= ({0x2A24: b'4.0', 0x2A26: b'41.17.6.0', 0x2A27: b'WG40_r10'} if self.family == Family.FOUR
                     else {0x2A24: b'5.0', 0x2A26: b'50.40.1.0', 0x2A27: b'WG50_r52'})
        base = BASE[self.family]
        write = properties.WRITE | (properties.WRITE_WITHOUT_RESPONSE if self.family == Family.FOUR else 0)
        command = Characteristic(UUID(base.format(2)), write, permissions.WRITEABLE, CharacteristicValue(write=self._command_written))
        self.command = command
        self.characteristics = {name: Characteristic(UUID(base.format(number)), properties.NOTIFY, permissions.READABLE)
                                for name, number in VENDOR_NOTIFY.items()}
        vendor = [command, *self.characteristics.values()]
        self.characteristics['heart_rate'] = Characteristic(UUID.from_16_bits(0x2A37), properties.NOTIFY, permissions.READABLE)
        self.characteristics['battery'] = Characteristic(
            UUID.from_16_bits(0x2A19), properties.READ | properties.NOTIFY, permissions.READABLE,
            bytes([100 if self.family == Family.FOUR else 49]))  # the 4.0 value is a stub that never changes
        read = [Characteristic(UUID.from_16_bits(number), properties.READ, permissions.READABLE, value)
                for number, value in identity.items()]
        self.device.add_services([
            Service(UUID.from_16_bits(0x180A), read), Service(UUID.from_16_bits(0x180F), [self.characteristics['battery']]),
            Service(UUID.from_16_bits(0x180D), [self.characteristics['heart_rate']]), Service(UUID(base.format(1)), vendor)])
        if self.family == Family.FIVE:
            vendor_cccds = [a for a in self.device.gatt_server.attributes if a.type == CCCD and a.handle > command.handle]
            for descriptor in vendor_cccds:  # an unencrypted write is answered 0x0F
                descriptor.permissions |= permissions.WRITE_REQUIRES_ENCRYPTION
        self.device.gatt_server.on('characteristic_subscription', self._subscribed)

    def _subscribed(self, connection, characteristic, notify, indicate):
        name = next((n for n, c in self.characteristics.items() if c is characteristic), str(characteristic.uuid))
        self.log('subscribed', characteristic=name, on=notify, encrypted=bool(connection.encryption))

    def _command_written(self, connection, value: bytes):
        if not connection.encryption:
            self.log('command_refused', error=0x05, hex=value.hex())
            raise att.ATT_Error(att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR)
        self.written.put_nowait(bytes(value))

    def _pdu_arrived(self, bearer, pdu):
        if len(bytes(pdu)) > bearer.att_mtu:  # Bumble would take it; a strap has no room for it
            self.log('pdu_too_long', bytes=len(bytes(pdu)), mtu=bearer.att_mtu)
            return self.device.gatt_server.send_response(bearer, att.ATT_Error_Response(
                request_opcode_in_error=pdu.op_code, attribute_handle_in_error=0, error_code=att.ATT_INVALID_PDU_ERROR))
        self._take_pdu(bearer, pdu)

    def _unconfirmed_write(self, bearer, request):
        if request.attribute_handle == self.command.handle:
            self.log('unconfirmed_write', hex=bytes(request.attribute_value).hex())
            if self.family == Family.FIVE or not bearer.encryption:
                return None  # dropped in silence
        return self._write_command(bearer, request)

    def _mtu_asked(self, bearer, request):
        self.log('mtu_asked', client=request.client_rx_mtu, refused=self.options.mtu == 'refuse')
        if self.options.mtu == 'refuse':
            raise att.ATT_Error(att.ATT_REQUEST_NOT_SUPPORTED_ERROR)
        self._answer_mtu(bearer, request)
        self.log('mtu', agreed=bearer.att_mtu)

    # -- pairing

    def _pairing_config(self, connection):
        peripheral = self

        class Delegate(PairingDelegate):
            async def accept(self):
                peripheral.log('pairing_asked', accepted=peripheral.pairing_open)
                return peripheral.pairing_open  # a refusal is Pairing Not Supported, 0x05

        return PairingConfig(sc=self.options.sc, mitm=False, bonding=True, delegate=Delegate(
            PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT, ENCRYPT_ONLY, ENCRYPT_ONLY))

    async def _long_term_key(self, handle, rand, ediv):
        connection = self.device.lookup_connection(handle)
        fresh = self.device.smp_manager.get_long_term_key(connection, rand, ediv) if connection else None
        if fresh:  # pairing in progress
            return fresh
        keys = await self.device.keystore.get(str(connection.peer_address)) if connection else None
        # Bumble files a responder's own legacy key, the one a central encrypts with, under "central"
        key = keys and (keys.ltk or keys.ltk_central)
        if key and not keys.ltk and (key.rand, key.ediv) != (rand, ediv):
            key = None
        answer = 'known' if key else 'missing'
        if self.keyfault:
            answer, key = self.keyfault, None
        self.log('key_asked', answer=answer)
        return bytes(16) if answer == 'wrong' else key.value if key else None

    # -- the connection

    def _connected(self, connection):
        self.connection = connection
        self.log.link += 1
        self.log('connected', peer=str(connection.peer_address))
        connection.on('disconnection', lambda reason: self._disconnected(connection, reason))
        connection.on('pairing', lambda keys: self.log('paired', keys=sorted(
            name for name in ('ltk', 'ltk_central', 'ltk_peripheral', 'irk') if getattr(keys, name))))
        connection.on('pairing_failure', lambda reason: self.log('pairing_failed', reason=int(reason)))
        connection.on('connection_encryption_change', lambda: self.log('encrypted', on=bool(connection.encryption)))
        connection.on('connection_encryption_failure', lambda error: self.log('encryption_failed', error=str(error)))

    def _disconnected(self, connection, reason):
        self.log('disconnected', reason=reason)
        if self.connection is connection:
            self.connection = None
            while not self.written.empty():
                self.written.get_nowait()
            self.on_link_down()
