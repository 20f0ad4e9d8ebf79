# The strap has lost its bond: links go on without encryption, the key stays until a new bond takes its place.
. /x/steps.sh
begin; find_strap
tell connect; await 15 "up plain"
tell pair; await 10 "paired"
tell disconnect; await 5 "down local was-up"
before=$(cat $KEYS/*[!sn])
for fault in missing wrong; do
  strap keyfault $fault >/dev/null
  tell secured; await 15 "down authentication never-up"
  tell connect; await 15 "up plain"
  tell "send 02f700"; await 5 "pdu 03...."
  tell key; await 2 "key yes"
  tell disconnect; await 5 "down local was-up"
done
[ "$before" = "$(cat $KEYS/*[!sn])" ] || fail "the key was changed"
strap keyfault off >/dev/null; strap forget >/dev/null
tell connect; await 15 "up plain"
tell pair; await 10 "paired"
[ "$before" != "$(cat $KEYS/*[!sn])" ] || fail "the new key is not there"
[ "$before" = "$(cat $KEYS/*.previous)" ] || fail "the old key was not kept beside"
tell disconnect; await 5 "down local was-up"
tell secured; await 15 "up encrypted"
finish; healthy
