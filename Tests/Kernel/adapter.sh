# The adapter goes and comes in every way a board knows; each is told by its name and heals by itself.
. /x/steps.sh
begin; find_strap
tell connect; await 15 "up plain"
echo 1 >/sys/class/rfkill/rfkill0/soft; await 5 "down adapter was-up"; await 5 "radio blocked"
echo 0 >/sys/class/rfkill/rfkill0/soft; await 20 "radio ready"
tell connect; await 15 "up plain"
# Pulled out under a link, and put back.
killall h4pump; await 5 "down adapter was-up"; await 5 "radio absent"
h4pump /run/port-hci 2>/dev/null & await 30 "radio ready"
tell connect; await 15 "up plain"
healthy; finish

# Without CAP_NET_ADMIN every command is refused.
mkdir -p /etc; echo "nobody:x:65534:65534::/:/bin/sh" >/etc/passwd
TRIAL="start-stop-daemon -S -p /tmp/none -c nobody -x $TRIAL --"
begin; await 10 "radio forbidden"; finish
healthy
