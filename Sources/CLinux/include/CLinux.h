/* Owns what Swift cannot import from the C library: macros, variadic calls, errno. Header only, no logic. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/l2cap.h>

static inline int nightstand_errno(void) { return errno; }
static inline int nightstand_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int nightstand_fcntl(int fd, int command, int value) { return fcntl(fd, command, value); }
