"""The whole real night over a real kernel's Bluetooth, and the morning after a reboot."""
import time

import truth
from machine import until


def offloaded(machine, mark: int, limit_s: float) -> tuple[list[dict], list[dict]]:
    """Waits until the strap has nothing left; its bursts and the acknowledgements of them."""
    machine.strap.wait(mark, 'served', limit_s)
    return machine.strap.since(mark, 'burst'), machine.strap.since(mark, 'ack')


def acknowledged_rightly(machine, mark: int, bursts: list[dict], acks: list[dict]) -> None:
    """Each burst was served once and acknowledged once, in its order, with the bytes of its own END, and nothing else was."""
    assert [a['token'] for a in acks] == [b['token'] for b in bursts], f'{len(bursts)} bursts, {len(acks)} acknowledgements'
    sent = [c['payload'] for c in machine.strap.since(mark, 'command', cmd=23)]
    assert sent == ['01' + b['token'] for b in bursts], f'acknowledgements that were wrong: {set(sent) - {"01" + b["token"] for b in bursts}}'
    for event in ('ack_ignored', 'nack', 'command_ignored', 'unconfirmed_write', 'pdu_too_long', 'command_refused'):
        assert not machine.strap.since(mark, event), machine.strap.since(mark, event)[0]
    forbidden = machine.strap.since(mark, 'command', forbidden=True)
    assert not forbidden, forbidden


def same_records(machine, expected: set[tuple]) -> None:
    stored = machine.rows(truth.RECORDS)
    assert len(stored) == len(set(stored)) == len(expected), f'{len(stored)} rows, {len(expected)} expected'
    assert set(stored) == expected, f'differ: {sorted(set(stored) ^ expected, key=str)[:4]}'


def the_whole_night_arrives_once_and_every_acknowledgement_is_right(machine):
    daemon, mark = machine.daemon, machine.strap.mark()
    daemon.start()
    daemon.pair()
    bursts, acks = offloaded(machine, mark, 1200)
    status = daemon.await_status(60, 'heart rate is live and history whole', truth_heart_rate=True, truth_history=True,
                                 syncing=False)
    time.sleep(5)  # live, as it stays for the rest of its life
    memory = daemon.memory()
    acknowledged_rightly(machine, mark, bursts, acks)
    assert len(bursts) == 260 and status['bursts_acknowledged'] == 260, status['bursts_acknowledged']
    assert status['records_stored'] == 12984 and status['storage'] == 'ok', status
    same_records(machine, truth.night())
    seconds = machine.rows("SELECT count(*), count(DISTINCT unix) FROM second WHERE lane = 'history'")
    assert seconds == [(12482, 12482)], seconds
    assert machine.rows('SELECT count(*), sum(records) FROM burst') == [(260, 12984)]
    delays = [a['after_end_ms'] for a in acks]
    took = acks[-1]['t'] - bursts[0]['t']
    figure = machine.kit.figure
    figure('resident after the night with a live link', memory['Rss'] * 1024, 'bytes')
    figure('anonymous after the night with a live link', memory['Anonymous'] * 1024, 'bytes')
    figure('records a second over the night', f'{12984 / took:.0f}', 'records/s')
    figure('acknowledgement after END, mean of 260 bursts', f'{sum(delays) / 260:.0f}', 'ms')
    figure('acknowledgement after END, longest', f'{max(delays):.0f}', 'ms')
    return (f'12984 records in {took:.0f} s = {12984 / took:.0f}/s; acknowledged {sum(delays) / 260:.0f} ms after END on average, '
            f'{max(delays):.0f} at worst; {memory["Rss"]} KiB resident, {memory["Anonymous"]} anonymous'
            f' ({"static" if machine.kit.static else "dynamic"} build)')


def after_a_reboot_the_strap_is_back_without_pairing_and_history_goes_on(machine):
    daemon, mark = machine.daemon, machine.strap.mark()
    before = len(machine.rows('SELECT 1 FROM record'))
    keys = machine.sh('ls /data/ns/keys; stat -c %a /data/ns/keys/*').split()
    assert len(keys) == 2 and keys[1] == '600', f'key file and mode: {keys}'
    began = machine.uptime()
    daemon.start(wait=False)
    machine.sh(f"until /x/nightstand status --json --socket /tmp/control.sock 2>&1 | grep -q 'truth_heart_rate\":true'; do :; done", 120)
    first = machine.uptime() - began
    machine.strap.wait(mark, 'served', 60)
    encrypted = machine.strap.since(mark, 'encrypted', on=True)
    assert machine.strap.since(mark, 'key_asked', answer='known') and len(encrypted) == 1, 'not encrypted by the stored key'
    assert not machine.strap.since(mark, 'pairing_asked') and not machine.strap.since(mark, 'paired'), 'it paired again'
    mark = machine.strap.mark()
    machine.tell_strap('bank 200')
    daemon.command('sync')
    bursts, acks = offloaded(machine, mark, 120)
    acknowledged_rightly(machine, mark, bursts, acks)
    assert len(bursts) == 4, bursts
    daemon.await_status(30, 'all is well', sentence='All is well.', truth_encrypted=True, truth_session=True, truth_history=True)
    rows = machine.rows('SELECT count(*), count(DISTINCT counter) FROM record')
    assert rows == [(before + 200,) * 2], f'{rows} after {before} and 200 more'
    assert machine.sh('stat -c %a /data/ns/keys/*').split()[0] == '600'
    machine.kit.figure('start to first heart rate', f'{first:.1f}', 's')
    return f'first heart rate {first:.1f} s after the process began'
