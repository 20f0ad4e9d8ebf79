"""Pairing that has to be earned, and bonds that the strap has lost."""
import time

from machine import until
from night import offloaded

VENDOR = {'response', 'event', 'data', 'memfault'}


def a_five_is_refused_until_it_is_in_pairing_mode(machine):
    daemon, mark = machine.daemon, machine.strap.mark()
    machine.tell_strap('pairing off')
    daemon.start()
    machine.sh('/x/nightstand pair --yes --socket /tmp/control.sock >/share/pair.log 2>&1 &')
    machine.strap.wait(mark, 'pairing_asked', 90, accepted=False)
    refused = daemon.await_status(60, 'the refusal is told', sentence='tap it repeatedly until its LEDs flash blue')
    assert refused['truth_encrypted'] is False and 'blue' in refused['pairing'], refused
    assert machine.sh('ls /data/ns/keys 2>/dev/null | wc -l') == '0\n', 'there is a key although the strap refused'
    machine.tell_strap('pairing on')
    machine.strap.wait(mark, 'paired', 100)
    offloaded(machine, mark, 180)
    said = machine.folder / 'share' / 'pair.log'
    until(lambda: 'Paired with' in said.read_text(), 30, 'the person is told', said.read_text)
    daemon.await_status(60, 'all is well', sentence='All is well.', truth_heart_rate=True)
    refusals = len(machine.strap.since(mark, 'pairing_asked', accepted=False))
    hellos = [one['link'] for one in machine.strap.since(mark, 'command', cmd=145)]
    encrypted = {one['link'] for one in machine.strap.since(mark, 'encrypted', on=True)}
    assert sorted(hellos) == sorted(encrypted), f'hello on links {hellos}, encrypted {encrypted}'
    early = [s for s in machine.strap.since(mark, 'subscribed') if s['characteristic'] in VENDOR and not s['encrypted']]
    assert not early, early[0]
    assert not machine.strap.since(mark, 'command_refused'), 'a command went out before encryption'
    machine.daemon.write_all()
    assert machine.rows('SELECT made FROM bond') == [(1,)]
    assert machine.rows('SELECT generation, serial FROM strap') == [(5, '5AG0000001')]
    return f'{refusals} refusals, then paired; {machine.strap.all[-1]["link"]} links, one hello on each that was encrypted'


def a_lost_bond_leaves_live_heart_rate_and_a_new_pairing_heals_it(machine):
    daemon, mark = machine.daemon, machine.strap.mark()
    daemon.start()
    if not machine.tell_strap('status')['bonds']:
        daemon.pair()
    daemon.await_status(90, 'all is well', sentence='All is well.', truth_encrypted=True)
    for fault in ('missing', 'wrong'):
        keys = key_file(machine)
        mark = machine.strap.mark()
        machine.tell_strap(f'keyfault {fault}')
        machine.tell_strap('loselink')
        machine.strap.wait(mark, 'key_asked', 90, answer=fault)
        lost = daemon.await_status(120, 'live heart rate goes on', sentence='The strap has lost our bond', truth_heart_rate=True,
                                   truth_encrypted=False)
        assert 'nightstand pair' in lost['sentence'], lost['sentence']
        time.sleep(5)
        assert daemon.status()['truth_link'] is True, 'the link did not hold'
        assert key_file(machine) == keys, 'the key was changed'
        asked = machine.strap.since(mark, 'key_asked')
        assert len(asked) == 1, f'security was raised {len(asked)} times'
        assert not machine.strap.since(mark, 'pairing_asked'), 'it paired without being asked to'
        machine.tell_strap('keyfault off')
        machine.tell_strap('forget')
        daemon.pair()
        daemon.await_status(90, 'all is well', sentence='All is well.', truth_encrypted=True, truth_session=True)
        assert key_file(machine) != keys, 'the new key is not there'
        assert machine.sh('cat /data/ns/keys/*.previous') == keys, 'the old key is not kept beside'
        assert not machine.kernel_bugs(), machine.kernel_bugs()
    daemon.write_all()
    told = machine.rows("SELECT count(*) FROM reason WHERE sentence LIKE 'The strap has lost our bond%'")
    assert told == [(2,)], told


def links_come_back_after_losses_and_a_restart_and_the_kernel_stays_whole(machine):
    daemon, mark = machine.daemon, machine.strap.mark()
    daemon.start()
    for loss in range(3):
        daemon.await_status(120, 'all is well', sentence='All is well.', truth_encrypted=True)
        machine.tell_strap('loselink')
        daemon.await_status(30, 'the loss is told', sentence='supervision timeout', truth_link=False)
    daemon.await_status(150, 'all is well', sentence='All is well.', truth_encrypted=True)
    daemon.stop()
    daemon.start()
    daemon.await_status(120, 'all is well after a restart', sentence='All is well.', truth_encrypted=True)
    daemon.stop()
    assert len(machine.strap.since(mark, 'connected')) == 5, 'links'
    epitaphs = machine.rows('SELECT cause, count(*) FROM epitaph GROUP BY cause ORDER BY cause')
    assert dict(epitaphs)['supervision timeout: out of range or asleep'] >= 3, epitaphs
    assert not machine.kernel_bugs(), machine.kernel_bugs()


def key_file(machine) -> str:
    return machine.sh('cat /data/ns/keys/*[0-9A-F]')
