# The adapter goes and comes in every way a board knows; each is told by its name and heals by itself.
. /x/steps.sh
begin; find_strap
tell connect; await 15 "up plain"
echo 1 >/sys/class/rfkill/rfkill0/soft; await 5 "down adapter was-up"; await 5 "radio blocked"
echo 0 >/sys/class/rfkill/rfkill0/soft; await 20 "radio ready"
tell connect; await 15 "up plain"
finish; healthy
