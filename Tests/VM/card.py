"""The card: syncs that fail, and deaths between what is durable and what the strap has been told."""
import random
import time

import truth
from machine import until

FAULTY = 'LD_PRELOAD=/x/faults.so'


def a_key_that_cannot_be_kept_is_no_bond_and_pairing_succeeds_once_it_can(machine):
    daemon, strap = machine.daemon, machine.strap
    mark = strap.mark()
    machine.sh('touch /tmp/fail')
    daemon.start(before=FAULTY)
    machine.sh('/x/nightstand pair --yes --socket /tmp/control.sock >/share/pair.log 2>&1 &')
    told = daemon.await_status(90, 'the key is told', pairing='The key could not be written')
    assert not strap.since(mark, 'ack') and told['pairing_left_s'] > 0, told
    machine.sh('rm /tmp/fail')
    said = machine.folder / 'share' / 'pair.log'
    until(lambda: 'Paired with' in said.read_text(), 120, 'it paired all the same', said.read_text)
    daemon.stop()
    assert machine.sh('stat -c %a /data/ns/keys/*').split()[0] == '600'
    mark = strap.mark()
    daemon.start()
    strap.wait(mark, 'key_asked', 60, answer='known')
    daemon.await_status(60, 'the key that was kept is the one the strap has', truth_encrypted=True)


def nothing_is_acknowledged_while_syncing_fails_and_nothing_is_lost(machine):
    daemon, strap = machine.daemon, machine.strap
    machine.tell_strap('serve night')
    begin = strap.mark()
    machine.sh('touch /tmp/fail')
    mark = strap.mark()
    daemon.start(before=FAULTY)
    strap.wait(mark, 'end', 120)
    machine.tell_strap('hr 0')  # so that the LED has nothing better to show
    failing = daemon.await_status(60, 'the failure is told', storage='Writing to the card fails')
    daemon.await_status(60, 'the LED tells trouble', led='trouble: storage')
    assert failing['storage'] in failing['sentence'], failing['sentence']
    time.sleep(10)
    assert not strap.since(mark, 'ack'), 'acknowledged what is not on the card'
    assert not strap.since(mark, 'command', cmd=23), 'acknowledged what is not on the card'
    ends = len(strap.since(mark, 'end'))
    machine.sh('rm /tmp/fail')
    machine.tell_strap('hr 60-180')
    strap.wait(mark, 'ack', 90)
    machine.tell_strap('rate 0')
    strap.wait(mark, 'served', 300)
    daemon.await_status(60, 'all is well', storage='ok', sentence='All is well.')
    acks = strap.since(begin, 'ack')
    assert len({a['token'] for a in acks}) == len(acks) == held(machine)['bursts'] and not strap.since(mark, 'ack_ignored'), f'{len(acks)} acknowledgements'
    same_as_served(machine)
    told = machine.rows("SELECT count(*) FROM reason WHERE sentence LIKE 'Storage could not be written%'")[0][0]
    assert told >= 1, 'no reason is kept'
    return f'{ends} ENDs unanswered while it failed, then {len(acks)} acknowledgements'


def held(machine) -> dict:
    """What the strap's flash held when it was made: `records`, `bursts`."""
    return machine.strap.since(0, 'ready')[0]


def same_as_served(machine) -> None:
    """All that the strap held is there, once, and nothing else."""
    stored = machine.rows(truth.RECORDS)
    expected = truth.night(held(machine)['records'])
    assert len(stored) == len(expected), f'{len(stored)} records, {len(expected)} expected'
    assert set(stored) == expected, 'other records than were served'


# A burst that was served again counts where it is stored.
COMMITS = 'SELECT count(*) + coalesce(sum(repeats), 0) FROM burst'


def page(ack: dict) -> int:
    return int.from_bytes(bytes.fromhex(ack['token'])[:4], 'little')


def killed(machine, kind: str, chance: random.Random) -> None:
    """One life of the daemon, ended inside an offload. `commit`: by the sync that makes a burst durable."""
    daemon, strap = machine.daemon, machine.strap
    mark = strap.mark()
    machine.sh('rm -f /tmp/die')
    daemon.start(before=FAULTY)
    strap.wait(mark, 'burst', 120)
    if kind == 'commit':
        time.sleep(chance.uniform(0, 0.2))
        machine.sh('touch /tmp/die')
        until(lambda: not daemon.runs(), 60, 'the sync has killed it')
        daemon.pid = None
    else:
        if kind == 'end':
            strap.wait(mark, 'end', 60)
            time.sleep(chance.uniform(0, 0.03))
        else:
            time.sleep(chance.uniform(0, 1))
        daemon.stop('KILL')
    strap.wait(mark, 'disconnected', 60)


def however_often_it_is_killed_nothing_is_lost_and_nothing_acknowledged_too_early(machine, kills: int = 12, seed: int = 1):
    daemon, strap, chance = machine.daemon, machine.strap, random.Random(seed)
    machine.sh('rm -rf /data/ns/*')
    mark = strap.mark()
    machine.tell_strap('forget')
    machine.tell_strap('serve night')
    daemon.start(before=FAULTY)
    daemon.pair()
    daemon.stop()
    between = before_commit = elsewhere = 0
    commits = machine.rows(COMMITS)[0][0]
    for kill in range(kills):
        life = strap.mark()
        killed(machine, ('commit', 'end', 'commit', 'middle')[kill % 4], chance)
        before, commits = commits, machine.rows(COMMITS)[0][0]
        committed = {page for page, in machine.rows('SELECT token_page FROM burst')}
        early = {page(a) for a in strap.since(mark, 'ack')} - committed
        assert not early, f'kill {kill}: acknowledged and not on the card: pages {sorted(early)}'
        ends, acks = len(strap.since(life, 'end')), len(strap.since(life, 'ack'))
        assert acks <= commits - before <= ends, f'kill {kill}: {ends} ENDs, {commits - before} commits, {acks} acknowledgements'
        between += commits - before > acks
        before_commit += ends > commits - before
        elsewhere += ends == acks
    assert between * 4 >= kills, f'only {between} of {kills} kills fell between commit and acknowledgement'
    machine.sh('rm -f /tmp/die')
    machine.tell_strap('rate 0')
    daemon.start()
    strap.wait(mark, 'served', 600)
    daemon.await_status(60, 'all is well', sentence='All is well.', storage='ok')
    assert not strap.since(mark, 'ack_ignored', why='wrong token'), 'an acknowledgement of another burst'
    acks = [a['token'] for a in strap.since(mark, 'ack')]
    assert len(acks) == len(set(acks)) == held(machine)['bursts'], f'{len(acks)} acknowledgements'
    same_as_served(machine)
    repeats = machine.rows('SELECT sum(repeats) FROM burst')[0][0]
    assert repeats == between, f'{repeats} bursts came again'
    return (f'seed {seed}, {kills} kills: {between} between commit and acknowledgement, {before_commit} before a commit, '
            f'{elsewhere} elsewhere; {repeats} bursts came again and were not kept twice')


def the_plug_is_pulled_while_a_slow_card_takes_a_burst(machine):
    daemon, strap, chance = machine.daemon, machine.strap, random.Random(machine.folder.name)
    mark = strap.mark()
    daemon.start(before=FAULTY)
    if not machine.tell_strap('status')['bonds']:
        daemon.pair()
    machine.sh('touch /tmp/slow')
    while len(strap.since(mark, 'ack')) < 3:
        strap.wait(len(strap.all), 'ack', 60)
    end = strap.wait(len(strap.all), 'end', 60)
    delay = chance.uniform(0, 0.3)
    time.sleep(delay)
    machine.cut()
    told = [a['token'] for a in strap.since(mark, 'ack')]
    return f'{delay * 1000:.0f} ms after an END, which {"was" if end["token"] in told else "was not"} acknowledged'


def after_power_cuts_all_that_was_acknowledged_is_there(machine):
    daemon, strap = machine.daemon, machine.strap
    mark = strap.mark()
    daemon.start()
    strap.wait(mark, 'served', 120)
    daemon.await_status(60, 'all is well', sentence='All is well.', storage='ok')
    assert held(machine)['trim'] > 0, 'nothing had been acknowledged'
    same_as_served(machine)
    return f'{held(machine)["trim"]} bursts were acknowledged before'


def two_hundred_kills(machine):
    return however_often_it_is_killed_nothing_is_lost_and_nothing_acknowledged_too_early(machine, 200, 2)
