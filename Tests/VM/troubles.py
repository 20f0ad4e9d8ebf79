"""What can be wrong with a board: each is told in one sentence, and goes when its cause goes."""
import sqlite3
import time

from night import offloaded

OTHER = "su -s /bin/sh -c 'exec \"$0\" \"$@\"' -- other"  # runs what follows without any right
RFKILL = 'for i in /sys/class/rfkill/*; do echo {} >$i/soft; done'


def settled(machine, limit_s: float = 120) -> None:
    machine.daemon.await_status(limit_s, 'all is well', sentence='All is well.', truth_encrypted=True, truth_history=True,
                                syncing=False)


def the_first_pairing(machine):
    mark = machine.strap.mark()
    machine.daemon.start()
    machine.daemon.pair()
    offloaded(machine, mark, 120)
    settled(machine)


def an_adapter_that_comes_late_is_waited_for(machine):
    machine.sh('kill $(pidof h4pump); until [ ! -e /sys/class/bluetooth/hci0 ]; do usleep 100000; done', check=False)
    machine.daemon.start()
    told = machine.daemon.await_status(60, 'no adapter is told', sentence='There is no Bluetooth adapter; plug one in')
    assert told['link'] == 'no radio', told
    machine.sh('h4pump /run/port-hci >/dev/null 2>/run/h4pump.log &')
    settled(machine)


def an_adapter_that_is_blocked_is_told_and_comes_back(machine):
    machine.daemon.start()
    settled(machine)
    machine.sh(RFKILL.format(1))
    machine.daemon.await_status(60, 'rfkill is told', sentence='rfkill unblock bluetooth', truth_link=False)
    machine.sh(RFKILL.format(0))
    settled(machine)
    machine.daemon.stop()
    machine.sh(RFKILL.format(1))
    machine.daemon.start()
    machine.daemon.await_status(60, 'rfkill is told at start', sentence='rfkill unblock bluetooth')
    machine.sh(RFKILL.format(0))
    settled(machine)


def without_its_capability_it_says_so_and_keeps_running(machine):
    machine.sh("""grep -q ^other: /etc/passwd 2>/dev/null || echo 'other:x:1234:1234::/tmp:/bin/sh' >>/etc/passwd
        chown -R 1234:1234 /data/ns; chmod 1777 /tmp""")
    machine.daemon.start(before=OTHER)
    told = machine.daemon.await_status(60, 'the capability is told', sentence='CAP_NET_ADMIN')
    assert told['storage'] == 'ok' and machine.daemon.runs(), told
    machine.daemon.stop()
    machine.sh('chown -R 0:0 /data/ns')
    machine.daemon.start()
    settled(machine)


def a_full_card_holds_history_back_until_there_is_room(machine):
    machine.daemon.start()
    settled(machine)
    records = machine.rows('SELECT count(*) FROM record')[0][0]
    mark = machine.strap.mark()
    machine.sh('dd if=/dev/zero of=/data/fill bs=64k 2>/dev/null; dd if=/dev/zero of=/data/fill2 bs=1k 2>/dev/null', check=False)
    machine.tell_strap('rate 0')
    for _ in range(30):
        machine.tell_strap('bank 200')
    machine.daemon.command('sync')
    told = machine.daemon.await_status(240, 'the full card is told', storage='The card is full')
    assert told['storage'] in told['sentence'], told['sentence']
    acks = len(machine.strap.since(mark, 'ack'))
    time.sleep(8)
    assert len(machine.strap.since(mark, 'ack')) == acks < 120, 'acknowledged although the card is full'
    machine.sh('rm /data/fill*')
    machine.strap.wait(mark, 'served', 300)
    settled(machine)
    assert len(machine.strap.since(mark, 'ack')) == 120 and not machine.strap.since(mark, 'ack_ignored')
    rows = machine.rows('SELECT count(*), count(DISTINCT counter) FROM record')
    assert rows == [(records + 6000,) * 2], f'{rows} after {records} and 6000 more'
    return f'{acks} of 120 bursts fitted, the others came when there was room'


def a_card_that_turns_read_only_is_told_and_heals(machine):
    machine.daemon.start()
    settled(machine)
    records = machine.rows('SELECT count(*) FROM record')[0][0]
    mark = machine.strap.mark()
    machine.sh('sync; echo u >/proc/sysrq-trigger; sleep 1; grep /data /proc/mounts')
    machine.tell_strap('bank 200')
    machine.daemon.command('sync')
    told = machine.daemon.await_status(90, 'storage trouble is told', sentence='history waits on the strap')
    assert told['storage'] != 'ok' and not machine.strap.since(mark, 'ack'), told['storage']
    machine.sh('mount -o remount,rw /data')
    machine.strap.wait(mark, 'served', 120)
    settled(machine)
    assert len(machine.strap.since(mark, 'ack')) == 4
    rows = machine.rows('SELECT count(*), count(DISTINCT counter) FROM record')
    assert rows == [(records + 200,) * 2], rows
    return told['storage']


def a_card_with_an_error_is_told_and_heals_with_a_new_mount(machine):
    machine.sh('mount -o remount,errors=remount-ro /data')
    machine.daemon.start()
    settled(machine)
    records = machine.rows('SELECT count(*) FROM record')[0][0]
    mark = machine.strap.mark()
    machine.sh('echo 1 >/sys/fs/ext4/vda/trigger_fs_error; sleep 1; ! touch /data/x 2>/dev/null')
    machine.tell_strap('bank 200')
    machine.daemon.command('sync')
    told = machine.daemon.await_status(90, 'storage trouble is told', sentence='history waits on the strap')
    assert told['storage'] != 'ok' and not machine.strap.since(mark, 'ack'), told['storage']
    machine.daemon.stop()
    machine.sh('umount /data && mount -t ext4 -o noatime /dev/vda /data')
    machine.daemon.start()
    machine.strap.wait(mark, 'served', 120)
    settled(machine)
    rows = machine.rows('SELECT count(*), count(DISTINCT counter) FROM record')
    assert rows == [(records + 200,) * 2], rows
    return told['storage']


def a_foreign_database_is_moved_aside_and_never_overwritten(machine):
    foreign = machine.folder / 'share' / 'foreign.db'
    with sqlite3.connect(foreign) as database:
        database.execute('CREATE TABLE letters(text)')
        database.execute("INSERT INTO letters VALUES('not yours')")
    database.close()
    machine.sh('mkdir -p /data/mine; mv /data/ns/nightstand.db* /data/mine; cp /share/foreign.db /data/ns/nightstand.db')
    machine.daemon.start()
    settled(machine)
    machine.daemon.write_all()
    reasons = machine.rows("SELECT sentence FROM reason WHERE sentence LIKE '%could not be used%'")
    assert len(reasons) == 1 and 'moved to' in reasons[0][0], reasons
    machine.daemon.stop()
    aside = machine.sh('ls /data/ns/*foreign*').split()
    assert len(aside) == 1, aside
    machine.sh(f'cmp {aside[0]} /share/foreign.db')
    return reasons[0][0]


def a_wrong_configuration_stops_the_start_with_its_line(machine):
    machine.sh("printf 'clock = trust\\nrinq_bytes = 1G\\n' >/tmp/conf")
    said = machine.sh('/x/nightstand run --state /data/ns --socket /tmp/control.sock --config /tmp/conf; echo "status $?"')
    assert 'status 78' in said and 'line 2' in said and 'rinq_bytes' in said, said
    return said.splitlines()[0]
