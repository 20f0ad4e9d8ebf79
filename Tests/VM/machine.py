"""One boot of the test rig (board/rig) with the firmware in it, told what to do from outside.

Owns a shell in the guest, the strap's ear and log, the daemon and copies of its database. It judges nothing: scenarios do.
Waiting is generous, because the guest is emulated and its host may be busy; no wait is a measurement.
"""
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STATE, CONTROL = '/data/ns', '/tmp/control.sock'

# The guest's side: the libraries of a Debian 12 where a program looks for them, then a shell at the other end of a line.
SCRIPT = """
mkdir -p /lib/aarch64-linux-gnu
[ ! -d /x/lib ] || mv /x/lib/* /lib/aarch64-linux-gnu/
ln -s aarch64-linux-gnu/ld-linux-aarch64.so.1 /lib/
echo 1 >/proc/sys/kernel/print-fatal-signals
mkfifo /tmp/words
sh </tmp/words 2>&1 | nc 10.0.2.2 {port} >/tmp/words
"""


class Broken(Exception):
    """The rig, not the product, is at fault: the machine did not start, or answers no more."""


class Machine:
    """A running guest. `disk` and `strap_state` outlive it when they are given again."""

    def __init__(self, folder: Path, kit: 'Kit', family: int = 4, strap: str = '', disk: str = 'disk', limit_s: int = 3600):
        self.folder, self.kit = folder, kit
        self.started = time.monotonic()
        folder.mkdir(parents=True)
        script = folder / 'script'
        listener = socket.create_server(('127.0.0.1', 0))
        script.write_text(SCRIPT.format(port=listener.getsockname()[1]))
        state = folder.parent / f'{disk}.strap.json'
        words = f'--family {family} --state {state} {strap}'
        options = ['-s', words, '-d', folder.parent / f'{disk}.img', '-t', limit_s, '-o', folder]
        for file in kit.files:
            options += ['-f', file]
        self.log_path = folder / 'boot.log'
        self.boot = subprocess.Popen([ROOT / 'board/rig/boot', *map(str, options), script], stdin=subprocess.DEVNULL,
                                     stdout=self.log_path.open('w'), stderr=subprocess.STDOUT)
        self.line, self.words = self._accept(listener), folder / 'control'
        self.strap = StrapLog(folder / 'strap.jsonl')
        self.sh(f'mkdir -p {STATE}')
        self.daemon = Daemon(self)

    def _accept(self, listener: socket.socket) -> socket.socket:
        listener.settimeout(1)
        with listener:
            while True:
                try:
                    line, _ = listener.accept()
                    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    return line
                except TimeoutError:
                    if self.boot.poll() is not None:
                        raise Broken(f'the machine did not start: {self.log_path.read_text().strip()[-300:]}') from None

    def sh(self, command: str, limit_s: float = 90, check: bool = True) -> str:
        """Output of a command in the guest; AssertionError where its status is not 0."""
        self.line.settimeout(limit_s)
        self.line.sendall(f'(\n{command}\n) </dev/null 2>&1; printf "\\001%d\\n" $?\n'.encode())
        got = b''
        try:
            while not (got[-1:] == b'\n' and b'\1' in got):
                some = self.line.recv(65536)
                if not some:
                    raise Broken(f'the machine has ended; see {self.folder}/console')
                got += some
        except TimeoutError:
            raise Broken(f'no answer within {limit_s} s to: {command}') from None
        output, _, status = got.decode(errors='replace').rpartition('\1')
        if check:
            assert int(status) == 0, f'{command}: status {status.strip()}, {output.strip()[-300:]}'
        return output

    def tell_strap(self, words: str) -> dict:
        """Says a word to the strap (board/rig/README.md)."""
        with socket.socket(socket.AF_UNIX) as ear:
            ear.settimeout(30)
            ear.connect(os.readlink(self.words))
            ear.sendall(words.encode() + b'\n')
            answer = json.loads(ear.makefile().readline())
        if 'error' in answer:
            raise Broken(f'the strap does not know "{words}": {answer["error"]}')
        return answer

    def uptime(self) -> float:
        """Seconds on the guest's monotonic clock, to 10 ms."""
        return float(self.sh("cut -d' ' -f1 /proc/uptime"))

    def kernel_bugs(self) -> list[str]:
        marks = ('BUG:', 'kernel BUG at', 'Oops', 'Kernel panic', 'list_del corruption', 'use-after-free')
        said = self.sh('dmesg') if self.boot.poll() is None else (self.folder / 'console').read_text(errors='replace')
        return [line.strip() for line in said.splitlines() if any(mark in line for mark in marks)]

    def database(self) -> sqlite3.Connection:
        """A copy of the database as it would be found after a power cut at this moment."""
        copy = self.folder / 'share' / 'copy.db'
        for path in copy.parent.glob('copy.db*'):
            path.unlink()
        name = f'{STATE}/nightstand.db'
        self.daemon.freeze(lambda: self.sh(f'cp {name} /share/copy.db; [ ! -f {name}-wal ] || cp {name}-wal /share/copy.db-wal'))
        database = sqlite3.connect(copy)
        assert database.execute('PRAGMA integrity_check').fetchone() == ('ok',), 'the database is damaged'
        return database

    def rows(self, sql: str) -> list[tuple]:
        database = self.database()
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def cut(self) -> None:
        """Pulls the plug: what was not synced is lost, and this machine is over."""
        self.daemon.pid = None
        self.line.sendall(b'powercut\n')
        self.boot.wait(60)

    def end(self):
        """Powers the machine off and waits for it."""
        if self.boot.poll() is None:
            try:
                self.line.sendall(b'exit\n')
                self.line.shutdown(socket.SHUT_WR)
                self.boot.wait(60)
            except (OSError, subprocess.TimeoutExpired):
                self.boot.send_signal(signal.SIGTERM)  # boot ends what it started
                self.boot.wait(30)
        self.line.close()


class Daemon:
    """`nightstand run` in the guest, started and ended as systemd would."""

    def __init__(self, machine: Machine):
        self.machine, self.pid = machine, None

    def start(self, config: str = 'clock = trust', before: str = '', wait: bool = True) -> None:
        """`before` goes in front of the command: an environment, or a program that runs it."""
        sh = self.machine.sh
        sh(f"printf '%s\\n' '{config}' >/tmp/conf; rm -f {CONTROL}")
        self.pid = int(sh(f'{before} /x/nightstand run --state {STATE} --socket {CONTROL} --config /tmp/conf'
                          f' >>/share/daemon.log 2>&1 & echo $!'))
        if wait:
            until(lambda: sh(f'[ -S {CONTROL} ]; echo $?') == '0\n', 30, 'the control socket is there')

    def runs(self) -> bool:
        return self.pid is not None and self.machine.sh(f'kill -0 {self.pid} 2>/dev/null; echo $?') == '0\n'

    def stop(self, sign: str = 'TERM') -> None:
        self.machine.sh(f'kill -{sign} {self.pid} 2>/dev/null', check=False)
        until(lambda: not self.runs(), 30, 'the daemon has ended')
        self.pid = None

    def freeze(self, work) -> None:
        if not self.runs():
            return work()
        self.machine.sh(f'kill -STOP {self.pid}')
        try:
            work()
        finally:
            self.machine.sh(f'kill -CONT {self.pid}')

    def command(self, words: str, limit_s: float = 60) -> str:
        return self.machine.sh(f'/x/nightstand {words} --socket {CONTROL}', limit_s)

    def status(self) -> dict:
        return json.loads(self.command('status --json'))

    def await_status(self, limit_s: float, what: str, **wanted) -> dict:
        """The first status that has all these values; strings are looked for inside."""
        seen = {}

        def holds():
            seen.clear()
            seen.update(self.status())
            return all(value in seen[name] if isinstance(value, str) else seen[name] == value for name, value in wanted.items())
        until(holds, limit_s, what, lambda: {name: seen.get(name) for name in [*wanted, 'sentence']})
        return seen

    def memory(self) -> dict[str, int]:
        """KiB of smaps_rollup: Rss, Anonymous, Private_Dirty, …"""
        lines = self.machine.sh(f'cat /proc/{self.pid}/smaps_rollup').splitlines()[1:]
        return {name.rstrip(':'): int(kib) for name, kib, *_ in (line.split() for line in lines)}

    def said(self) -> str:
        """All that the daemons of this machine have logged."""
        path = self.machine.folder / 'share' / 'daemon.log'
        return path.read_text(errors='replace') if path.exists() else ''

    def write_all(self) -> None:
        """Has what waits for company written now, beside a moment."""
        moments = self.status()['moments']
        self.command('mark')
        self.await_status(30, 'the moment is on the card', moments=moments + 1)

    def pair(self, limit_s: float = 130) -> None:
        """As a person at a terminal does."""
        said = self.command('pair --yes', limit_s)
        assert 'Paired with' in said, said[-300:]


class StrapLog:
    """The strap's own account, read as it grows."""

    def __init__(self, path: Path):
        self.path, self.at, self.all = path, 0, []

    def read(self) -> list[dict]:
        with self.path.open('rb') as file:
            file.seek(self.at)
            for line in file:
                if not line.endswith(b'\n'):
                    break
                self.at += len(line)
                self.all.append(json.loads(line))
        return self.all

    def mark(self) -> int:
        """The place from which `since` counts."""
        return len(self.read())

    def since(self, mark: int, event: str, **fields) -> list[dict]:
        return [one for one in self.read()[mark:] if one['event'] == event and all(one.get(k) == v for k, v in fields.items())]

    def wait(self, mark: int, event: str, limit_s: float = 60, **fields) -> dict:
        until(lambda: self.since(mark, event, **fields), limit_s, f'the strap saw {event} {fields or ""}', pause_s=0.05)
        return self.since(mark, event, **fields)[0]


class Kit:
    """What goes into every guest: the firmware, its libraries, what breaks things on purpose."""

    def __init__(self, folder: Path, static: bool):
        self.static, self.folder = static, folder
        target = 'arm64-static' if static else 'arm64'
        binary = ROOT / f'build/nightstand-{target}'
        if not binary.exists():
            subprocess.run([ROOT / 'board/cross/firmware', target], check=True, stdout=subprocess.DEVNULL)
        folder.mkdir(parents=True)
        shutil.copy(binary, folder / 'nightstand')
        self.files = [folder / 'nightstand']
        if not static:
            libraries = folder / 'lib'
            libraries.mkdir()
            subprocess.run([ROOT / 'board/cross/sysroot', 'bookworm', 'arm64', ROOT / '.build-sysroot/bookworm-arm64'], check=True)
            sysroot = ROOT / '.build-sysroot/bookworm-arm64'
            for name in ('ld-linux-aarch64.so.1', 'libc.so.6', 'libm.so.6', 'libsqlite3.so.0', 'libgpiod.so.2'):
                found = next(p for p in (sysroot / place / name for place in ('lib/aarch64-linux-gnu', 'usr/lib/aarch64-linux-gnu'))
                             if p.exists())
                shutil.copy(found, libraries / name)
            faults = folder / 'faults.so'
            subprocess.run(['aarch64-linux-gnu-gcc', '-O2', '-Wall', '-fPIC', '-shared', '-nostdlib', '-o', faults,
                            Path(__file__).with_name('faults.c')], check=True)
            self.files += [libraries, faults]
        self.figures = {}

    def figure(self, name: str, value, unit: str) -> None:
        """Leaves a figure of this build for board/sizes to print."""
        self.figures[f'{"arm64-static" if self.static else "arm64"} {name}'] = f'{value}\t{unit}'
        path = ROOT / f'build/figures/vm-{"static" if self.static else "dynamic"}.tsv'
        path.parent.mkdir(exist_ok=True)
        path.write_text(''.join(f'{one}\t{rest}\n' for one, rest in self.figures.items()))


def until(condition, limit_s: float, what: str, detail=lambda: '', pause_s: float = 0.2):
    ends = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < ends, f'not within {limit_s:g} s: {what} {detail()}'.rstrip()
        time.sleep(pause_s)


def run_folder() -> Path:
    cache = Path(os.environ.get('NIGHTSTAND_CACHE', Path.home() / '.cache/nightstand'))
    (cache / 'run').mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix='vm-', dir=cache / 'run'))
