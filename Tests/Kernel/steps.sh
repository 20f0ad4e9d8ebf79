# Owns the steps of a kernel trial, inside the guest: starting radio-trial, telling it words, awaiting its words.
# A word that does not come in time ends the trial with what was said so far.
TRIAL=/x/radio-trial-arm64-static
KEYS=${KEYS:-/tmp/keys}
SEEN=0

begin() {
  rm -f /tmp/words; mkfifo /tmp/words; : >/tmp/said; SEEN=0
  $TRIAL $KEYS </tmp/words >>/tmp/said 2>&1 &
  TRIAL_PID=$!
  exec 3>/tmp/words
}

tell() { echo "$*" >&3; }

# await SECONDS WORDS: a line that ends with the words, after the last one that was awaited
await() {
  limit=$1; shift
  for _ in $(seq $((limit * 10))); do
    line=$(tail -n +$((SEEN + 1)) /tmp/said | grep -n -m1 " $*\$" | cut -d: -f1)
    if [ -n "$line" ]; then SEEN=$((SEEN + line)); echo "ok   $*"; return 0; fi
    sleep 0.1
  done
  fail "no '$*' within $limit s"
}

# never WORDS: not said since the last await
never() { tail -n +$((SEEN + 1)) /tmp/said | grep -q " $*\$" && fail "said '$*'"; return 0; }

fail() { echo "FAIL $1"; echo "--- said:"; cat /tmp/said; dmesg | tail -20; exit 1; }

# ends the daemon's stand-in as systemd would see it: reaped, with its status
finish() {
  tell quit; exec 3>&-
  for _ in $(seq 50); do kill -0 $TRIAL_PID 2>/dev/null || break; sleep 0.1; done
  kill -0 $TRIAL_PID 2>/dev/null && fail "the process does not end"
  wait $TRIAL_PID; status=$?
  [ $status = 0 ] || fail "the process ended with $status"
  echo "ok   ended"
}

healthy() {
  dmesg | grep -E "kernel BUG|Oops|list_del corruption|list_add corruption|Bad page|use-after-free" && fail "the kernel is hurt"
  echo "ok   kernel healthy"
}

find_strap() { await 10 "radio ready"; tell scan; await 10 "found .*"; tell still; }
