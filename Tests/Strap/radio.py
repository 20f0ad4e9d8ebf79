"""The air between a strap and somebody else's Bluetooth host: Bumble's virtual controllers, made fit for a Linux kernel.

Owns the virtual link and the socket on which a host (a guest kernel's /dev/vhci behind QEMU) speaks H4. Each fix below
names the gap in Bumble 0.0.236 that it closes; the kernel hangs, or drops data, without it. It decides nothing about straps.
"""
import asyncio
import struct

from bumble import controller, crypto, hci, link, ll
from bumble.core import PhysicalTransport
from bumble.transport.common import PacketParser, StreamPacketSink

Error = hci.HCI_ErrorCode
ADAPTER = '00:1A:7D:DA:71:13/P'  # public address of the host's adapter
READ_P256, GENERATE_DHKEY, READ_TX_POWER = 0x2025, 0x2026, 0x0C2D


class Air(link.LocalLink):
    def send_acl_data(self, sender, destination, transport, data):
        """Stock names every sender by its random address: a host with a public one loses all its data."""
        if transport != PhysicalTransport.LE:
            return super().send_acl_data(sender, destination, transport, data)
        connection = sender.le_connections.get(destination)
        receiver = self.find_le_controller(destination)
        if connection is not None and receiver is not None:
            asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)


class Adapter(controller.Controller):
    """A 4.2 controller, as on a Pi 3 or Zero W: legacy advertising and scanning only."""
    le_acl_data_packet_length = acl_data_packet_length = 251  # stock: 27 bytes, ten times slower
    total_num_le_acl_data_packets = 64
    supported_max_tx_octets = supported_max_rx_octets = suggested_max_tx_octets = 251
    supported_max_tx_time = supported_max_rx_time = 17040
    rssi_dbm = -60

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        feature = hci.LeFeatureMask
        self.le_features &= ~(feature.LE_EXTENDED_ADVERTISING | feature.LE_PERIODIC_ADVERTISING
                              | feature.LE_2M_PHY | feature.LE_CODED_PHY)

    def send_hci_packet(self, packet):
        """The kernel unmasks Enhanced Connection Complete (stock announces LL Privacy) and waits 20 s for it each time."""
        if isinstance(packet, hci.HCI_LE_Connection_Complete_Event) and self.le_event_mask & 1 << 9:
            return self.send_bytes(struct.pack(
                '<BBBBBHBB6s6s6sHHHB', 4, 0x3E, 31, 0x0A, packet.status, packet.connection_handle, packet.role,
                packet.peer_address_type & 1, bytes(packet.peer_address), bytes(6), bytes(6), packet.connection_interval,
                packet.peripheral_latency, packet.supervision_timeout, packet.central_clock_accuracy))
        super().send_hci_packet(packet)

    def send_bytes(self, data: bytes):
        if self.host:
            asyncio.get_running_loop().call_soon(self.host.on_packet, data)

    def complete(self, opcode: int, returned: bytes):
        self.send_bytes(bytes([4, 0x0E, 3 + len(returned), 1, opcode & 255, opcode >> 8]) + returned)

    def on_hci_command_packet(self, command):
        """Commands that stock lacks or never answers: a host waits 2 s for each of them."""
        opcode, parameters = command.op_code, bytes(command)[4:]
        if opcode == hci.HCI_LE_ENCRYPT_COMMAND:
            return self.complete(opcode, b'\0' + crypto.e(parameters[:16], parameters[16:32]))
        if opcode == READ_P256:
            self.key = crypto.EccKey.generate()
            self._send_hci_command_status(0, opcode)
            return self.send_bytes(bytes([4, 0x3E, 66, 8, 0]) + self.key.x[::-1] + self.key.y[::-1])
        if opcode == GENERATE_DHKEY:
            self._send_hci_command_status(0, opcode)
            try:
                secret, status = self.key.dh(parameters[:32][::-1], parameters[32:64][::-1])[::-1], 0
            except Exception:  # no key yet, or a point that is not on the curve
                secret, status = b'\xff' * 32, Error.INVALID_COMMAND_PARAMETERS_ERROR
            return self.send_bytes(bytes([4, 0x3E, 34, 9, status]) + secret)
        if opcode == hci.HCI_READ_RSSI_COMMAND:
            return self.complete(opcode, b'\0' + parameters[:2] + struct.pack('b', self.rssi_dbm))
        if opcode == READ_TX_POWER:
            return self.complete(opcode, b'\0' + parameters[:2] + b'\x04')
        if not hasattr(self, f'on_{command.name.lower()}'):
            if isinstance(command, hci.HCI_AsyncCommand):
                return self._send_hci_command_status(Error.UNKNOWN_HCI_COMMAND_ERROR, opcode)
            return self.complete(opcode, bytes([Error.UNKNOWN_HCI_COMMAND_ERROR]))
        super().on_hci_command_packet(command)

    def on_hci_reset_command(self, command):
        """Stock resets nothing."""
        self.drop_links(Error.REMOTE_USER_TERMINATED_CONNECTION_ERROR, tell_host=False)
        self.le_scan_enable, self.pending_le_connection = False, None
        self.le_legacy_advertiser.stop()
        return super().on_hci_reset_command(command)

    def on_hci_le_create_connection_cancel_command(self, command):
        """Stock answers OK and leaves the attempt pending."""
        if not self.pending_le_connection:
            return hci.HCI_StatusReturnParameters(Error.COMMAND_DISALLOWED_ERROR)
        pending, self.pending_le_connection = self.pending_le_connection, None
        asyncio.get_running_loop().call_soon(self.send_hci_packet, hci.HCI_LE_Connection_Complete_Event(
            status=Error.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=0,
            peer_address_type=pending.peer_address.address_type, peer_address=pending.peer_address,
            connection_interval=0, peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0))
        return hci.HCI_StatusReturnParameters(Error.SUCCESS)

    def on_hci_disconnect_command(self, command):
        """Stock reports the reason given to the peer (0x13); the specification says 0x16 to the side that asked."""
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection is None:
            return super().on_hci_disconnect_command(command)
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection.send_ll_control_pdu(ll.TerminateInd(command.reason))
        self.on_le_disconnected(connection, Error.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR)

    def on_advertising_pdu(self, pdu):
        """Stock sends a scan response to passive scans too, and puts the advertising data into it."""
        if self.le_scan_enable and isinstance(pdu, ll.AdvInd):
            report = hci.HCI_LE_Advertising_Report_Event
            parts = [(report.EventType.ADV_IND, pdu.data)]
            if self.le_scan_type == 1:
                peer = self.link.find_le_controller(pdu.advertiser_address)
                parts.append((report.EventType.SCAN_RSP, peer.le_legacy_advertiser.scan_response_data if peer else b''))
            for kind, data in parts:
                self.send_hci_packet(report([report.Report(
                    event_type=kind, address_type=pdu.advertiser_address.address_type,
                    address=pdu.advertiser_address, data=bytes(data), rssi=self.rssi_dbm)]))
        pending = self.pending_le_connection
        if pending and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def on_hci_le_set_data_length_command(self, command):
        asyncio.get_running_loop().call_soon(self.send_hci_packet, hci.HCI_LE_Data_Length_Change_Event(
            connection_handle=command.connection_handle, max_tx_octets=command.tx_octets,
            max_tx_time=command.tx_time, max_rx_octets=251, max_rx_time=17040))
        return hci.HCI_StatusAndConnectionHandleReturnParameters(
            status=Error.SUCCESS, connection_handle=command.connection_handle)

    def on_hci_read_remote_version_information_command(self, command):
        self._send_hci_command_status(0, command.op_code)
        self.send_hci_packet(hci.HCI_Read_Remote_Version_Information_Complete_Event(
            status=0, connection_handle=command.connection_handle, version=9, manufacturer_name=0xFFFF, subversion=0))

    def drop_links(self, reason=Error.CONNECTION_TIMEOUT_ERROR, tell_host=True):
        """Both ends of every connection see `reason`: a supervision timeout, as when the strap walks out of range."""
        for connection in list(self.le_connections.values()):
            try:
                connection.send_ll_control_pdu(ll.TerminateInd(reason))
            except Exception:
                pass  # the other end is gone already
            if tell_host:
                self.on_le_disconnected(connection, reason)
        self.le_connections.clear()


class HostPort(asyncio.Protocol):
    """One host on the socket: it gets an adapter for as long as it stays connected."""

    def __init__(self, air: Air, on_change):
        self.air, self.on_change, self.parser = air, on_change, PacketParser()

    def connection_made(self, transport):
        self.adapter = Adapter('host', host_sink=StreamPacketSink(transport), link=self.air, public_address=ADAPTER)
        self.parser.set_packet_sink(self.adapter)
        self.on_change(self.adapter, True)

    def data_received(self, data):
        self.parser.feed_data(data)

    def connection_lost(self, exception):
        self.adapter.host = None
        self.adapter.drop_links(tell_host=False)
        self.air.remove_controller(self.adapter)
        self.on_change(self.adapter, False)
