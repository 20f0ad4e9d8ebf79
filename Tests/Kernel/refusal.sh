# A strap that is not in pairing mode refuses; the kernel then drops the link. The next link can pair.
. /x/steps.sh
begin; find_strap
strap pairing off >/dev/null
for i in 1 2; do
  tell connect; await 15 "up plain"
  tell pair; await 10 "pairing refused"; await 5 "down .* was-up"
done
strap pairing on >/dev/null
tell connect; await 15 "up plain"
tell pair; await 10 "paired"
finish; healthy
