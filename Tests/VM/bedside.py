"""What a person beside the bed sees and does while links come and go: gestures, the LED, silence."""
import time

from card import FAULTY, held, same_as_served


def an_offload_that_loses_its_link_again_and_again_is_complete(machine):
    daemon, strap = machine.daemon, machine.strap
    machine.sh('rm -rf /data/ns/*')
    machine.tell_strap('forget')
    machine.tell_strap('serve night')
    machine.tell_strap('rate 110')
    mark = strap.mark()
    daemon.start(before=FAULTY)
    daemon.pair()
    machine.tell_strap('loseevery 250')
    strap.wait(mark, 'served', 400)
    machine.tell_strap('loseevery 0')
    daemon.await_status(60, 'all is well', sentence='All is well.')
    losses = len(strap.since(mark, 'fault', kind='link lost'))
    acks = [a['token'] for a in strap.since(mark, 'ack')]
    assert losses >= 2, f'{losses} losses'
    assert len(acks) == len(set(acks)) == held(machine)['bursts'], f'{len(acks)} acknowledgements'
    same_as_served(machine)
    dropped = machine.rows("SELECT count(*) FROM reason WHERE sentence LIKE 'The link was lost inside a burst%'")[0][0]
    assert dropped >= 1, 'no reason is kept of a burst that was cut'
    return f'{losses} losses, {dropped} of them inside a burst'


def a_double_tap_marks_one_moment_and_buzzes(machine):
    daemon, strap = machine.daemon, machine.strap
    daemon.start(before=FAULTY)
    daemon.await_status(90, 'all is well', sentence='All is well.')
    mark, moments = strap.mark(), daemon.status()['moments']
    machine.tell_strap('doubletap')
    strap.wait(mark, 'command', 30, cmd=79)
    daemon.await_status(30, 'the moment is counted', moments=moments + 1)
    time.sleep(2)
    assert len(strap.since(mark, 'command', cmd=79)) == 1, 'it buzzed more than once'
    assert machine.rows("SELECT count(*) FROM moment WHERE source = 'strap tap'") == [(1,)]


def a_press_of_the_button_is_a_moment_on_the_card_at_once(machine):
    daemon, strap = machine.daemon, machine.strap
    daemon.start(before=FAULTY)
    daemon.await_status(90, 'all is well', sentence='All is well.')
    took = []
    for press in range(3):
        mark = strap.mark()
        machine.sh('echo >/tmp/syncs; gpio press 0.1')
        strap.wait(mark, 'command', 30, cmd=79)
        decided = machine.rows("SELECT monotonic_ms FROM moment WHERE source = 'button' ORDER BY id")
        assert len(decided) == press + 1, f'{len(decided)} moments after {press + 1} presses'
        syncs = [int(line) for line in machine.sh('cat /tmp/syncs; rm /tmp/syncs').split()]
        later = [sync - decided[-1][0] for sync in syncs if sync >= decided[-1][0]]
        assert later, f'no sync after the moment: {decided[-1][0]}, {syncs}'
        took.append(later[0])
    assert daemon.status()['moments'] >= 3
    assert min(took) < 1000, took  # 100 ms on the board; this guest is emulated
    return f'durable {", ".join(map(str, took))} ms after the gesture was decided'


def flashes(machine, seconds: float) -> list[list[float]]:
    """Rising edges of the LED, in groups with a pause of more than 0.45 s between; the first and last group may be cut."""
    seen = machine.sh(f"""
        ends=$(($(cut -d. -f1 /proc/uptime) + {int(seconds)}))
        while read t rest </proc/uptime; [ ${{t%.*}} -lt $ends ]; do
          read level </run/gpio/sim_gpio27/value; [ "$level" = "$last" ] || echo $t $level; last=$level; usleep 4000
        done""")
    edges = [float(line.split()[0]) for line in seen.splitlines() if line.endswith(' 1')]
    groups = []
    for edge in edges:
        if groups and edge - groups[-1][-1] < 0.45:
            groups[-1].append(edge)
        else:
            groups.append([edge])
    return groups


def the_led_tells_the_zone_and_after_ten_seconds_of_silence_no_data(machine):
    daemon = machine.daemon
    daemon.start(config='clock = trust\nhr_max = 200', before=FAULTY)
    daemon.await_status(90, 'all is well', sentence='All is well.')
    counted = {}
    for bpm, zone in ((110, 1), (150, 3), (190, 5)):
        machine.tell_strap(f'hr {bpm}')
        daemon.await_status(30, f'{bpm} bpm is zone {zone}', heart_rate_bpm=bpm, zone=zone, led=f'zone {zone}')
        whole = [len(group) for group in flashes(machine, 11)][1:-1]
        counted[zone] = max(whole, default=0)  # a busy machine can miss a flash, and sees none that was not there
    assert counted == {1: 1, 3: 3, 5: 5}, f'flashes counted, by zone: {counted}'
    machine.tell_strap('mute on')
    began = machine.uptime()
    status = daemon.await_status(60, 'no data', led='no data', truth_heart_rate=False)
    silent = machine.uptime() - began
    assert status['truth_link'] is True and silent > 7, f'{silent:.1f} s after the last heart rate'
    pairs = [len(group) for group in flashes(machine, 14)][1:-1]
    assert max(pairs, default=0) == 2, f'flashes of no data: {pairs}'
    machine.tell_strap('mute off')
    machine.tell_strap('hr 60-180')
    daemon.await_status(90, 'heart rate is back', truth_heart_rate=True)
    return f'no data told {silent:.0f} s after the last heart rate'
