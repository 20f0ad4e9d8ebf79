"""The captured sessions of a family, each served by the strap's double as it was recorded."""
import truth
from machine import until
from night import offloaded

# With a record that fails its checksum each time it is served: never whole
DAMAGED = {'w4-hist-syn-interleaved', 'w5-hist-syn-bad-record'}
# Kept by their sources with fewer frames than their ENDs announce
SHORT = {'w5-hist-real-2', 'w4-hist-v24-composed', 'w4-hist-syn-interleaved', 'w5-hist-syn-bad-record'}


def family(machine) -> int:
    return machine.tell_strap('status')['family']


def serve(machine, session: dict, words: str = '') -> int:
    """Puts a session into the strap and has it fetched; the mark from which its log counts."""
    mark = machine.strap.mark()
    machine.tell_strap(f'serve {session["id"]} {words}')
    machine.daemon.await_status(90, 'the last offload is over', syncing=False, truth_session=True)
    machine.daemon.command('sync')
    until(lambda: machine.strap.since(mark, 'served') or machine.strap.since(mark, 'nothing_stored'), 180,
          f'{session["id"]} is served', lambda: machine.daemon.status()['sentence'])
    return mark


def bodies(session: dict) -> list[str]:
    """The expected acknowledgements after their sequence number, without the checksum, which covers it."""
    header = 4 if session['family'] == '4.0' else 8
    return [bytes.fromhex(ack['frame_hex'])[header + 3:-4].hex() for ack in session['expect_acks']]


def acknowledged_as_expected(machine, mark: int, session: dict) -> int:
    until(lambda: len(machine.strap.since(mark, 'ack')) >= len(session['expect_acks']), 30,
          f'{session["id"]} is acknowledged')
    sent = [c['payload'] for c in machine.strap.since(mark, 'command', cmd=23)]
    assert sent == bodies(session), f'{session["id"]}: acknowledged {sent}, expected {bodies(session)}'
    ignored = machine.strap.since(mark, 'ack_ignored')
    assert not ignored, f'{session["id"]}: {ignored[0]}'
    return len(sent)


def records_as_expected(machine, sessions: list[dict]) -> int:
    """Every record of the sessions is there with its heart rate and beats, and no other."""
    stored = {(v, c, u): (bpm, rr) for v, c, u, bpm, rr in machine.rows(truth.RECORDS)}
    wanted = set()
    for session in sessions:
        for record in session['expect_records']:
            identity = record['record_version'], record['record_index'], record['unix']
            wanted.add(identity)
            assert identity in stored, f'{session["id"]}: {identity} is not there'
            bpm, rr = stored[identity]
            if 'hr' in record:
                assert bpm == truth.believed(record['hr']), f'{session["id"]}: {identity} has {bpm} bpm, expected {record["hr"]}'
            if 'rr' in record:
                assert rr == truth.intervals(record['rr']), f'{session["id"]}: {identity} has {rr}, expected {record["rr"]}'
    assert set(stored) == wanted, f'not of any session: {sorted(set(stored) - wanted)[:4]}'
    return len(wanted)


def every_captured_session_is_stored_and_acknowledged_as_expected(machine):
    sessions = truth.sessions(family(machine))
    mark = machine.strap.mark()
    machine.daemon.start()
    if not machine.tell_strap('status')['bonds']:
        machine.daemon.pair()
    offloaded(machine, mark, 120)  # what the strap held before
    acks = sum(acknowledged_as_expected(machine, serve(machine, session), session) for session in sessions)
    status = machine.daemon.await_status(90, 'storage is well and history whole', storage='ok', truth_session=True)
    records = records_as_expected(machine, sessions)
    gaps = machine.rows('SELECT count(*) FROM gap')[0][0]
    assert gaps == len(DAMAGED & {s['id'] for s in sessions}), machine.rows('SELECT * FROM gap')
    return f'{len(sessions)} sessions, {records} records, {acks} acknowledgements; {status["records_stored"]} received on the last link'


def a_short_burst_is_refused_twice_and_passed_the_third_time_with_a_gap(machine):
    sessions = [s for s in truth.sessions(family(machine)) if s['id'] in SHORT]
    machine.daemon.start()
    machine.daemon.await_status(90, 'there is a session', truth_session=True)
    short, told = 0, refusals(machine)
    for session in sessions:
        before = machine.rows('SELECT count(*) FROM gap')[0][0]
        mark = serve(machine, session, 'as-recorded')
        acknowledged_as_expected(machine, mark, session)
        bursts = session['expect']['bursts']
        incomplete = [i for i, b in enumerate(bursts) if b['received'] != b['announced']]
        for i in range(len(bursts)):
            servings = len(machine.strap.since(mark, 'burst', index=i))
            assert servings == (3 if i in incomplete else 1), f'{session["id"]}: burst {i} was served {servings} times'
        aborts = machine.strap.since(mark, 'command', cmd=20)
        assert len(aborts) == 2 * len(incomplete), f'{session["id"]}: {len(aborts)} aborts of {len(incomplete)} short bursts'
        machine.daemon.await_status(90, 'history is whole', syncing=False, truth_history=True)
        machine.daemon.write_all()
        until(lambda: machine.rows('SELECT count(*) FROM gap')[0][0] == before + len(incomplete), 20,
              f'{session["id"]}: a gap for each short burst', lambda: machine.rows('SELECT * FROM gap'))
        short += len(incomplete)
    told = refusals(machine) - told
    assert told == 2 * short, f'{told} refusals are told of {short} short bursts'
    return f'{short} short bursts in {len(sessions)} sessions, {told} refusals, as many gaps as bursts'


def refusals(machine) -> int:
    return machine.rows("SELECT count(*) FROM reason WHERE sentence LIKE 'A burst came with %was not acknowledged.'")[0][0]
