# A link may end in every way there is, again and again, and the kernel stays whole; the process ends and begins anew.
# On 6.1.187 and later a plain close of a socket whose link has gone kills the process and Bluetooth until the next boot.
. /x/steps.sh
begin; find_strap
for i in 1 2 3 4; do
  tell connect; await 15 "up plain"
  strap loselink >/dev/null; await 5 "down timeout was-up"
done
tell connect; await 15 "up plain"
tell disconnect; await 5 "down local was-up"
tell connect; await 15 "up plain"
tell cycle; await 5 "down adapter was-up"; await 20 "radio ready"
tell connect; await 15 "up plain"
tell reopen; await 5 "down adapter was-up"; await 20 "radio ready"
tell connect; await 15 "up plain"
healthy; finish

begin; find_strap
tell connect; await 15 "up plain"
strap loselink >/dev/null; await 5 "down timeout was-up"
tell connect; await 15 "up plain"
finish; healthy
