# A bond made once holds: over a link, over a power cycle (the kernel forgets every key), over a restart.
# Pairing happens only when asked for.
. /x/steps.sh
begin; find_strap
tell connect; await 15 "up plain"
tell key; await 2 "key no"
tell pair; await 10 "encrypted 16"; await 2 "paired"
tell key; await 2 "key yes"
[ "$(ls $KEYS | wc -l)" = 1 ] || fail "one key file was expected"
[ "$(stat -c %a $KEYS/*)" = 600 ] || fail "the key file can be read by others"
tell disconnect; await 5 "down local was-up"
tell secured; await 15 "up encrypted"
tell cycle; await 5 "down adapter was-up"; await 20 "radio ready"
tell secured; await 15 "up encrypted"
finish

begin; find_strap
tell secured; await 15 "up encrypted"
tell forget; tell key; await 2 "key no"
tell disconnect; await 5 "down local was-up"
tell connect; await 15 "up plain"
finish; healthy
