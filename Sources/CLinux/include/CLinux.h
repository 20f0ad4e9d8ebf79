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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sysexits.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/l2cap.h>

static inline int nightstand_errno(void) { return errno; }
static inline int nightstand_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
/* SIG_IGN is a cast, which Swift cannot import. */
static inline void nightstand_ignore_signal(int number) { signal(number, SIG_IGN); }
static inline int nightstand_fcntl(int fd, int command, int value) { return fcntl(fd, command, value); }

static inline void nightstand_name_process(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* Swift marks fork as unavailable; the child here makes system calls only. */
static inline pid_t nightstand_fork(void) { return fork(); }

/* Passes a descriptor over a Unix socket; the caller's own stays open. */
static inline int nightstand_send_descriptor(int channel, int descriptor) {
    char byte = 0;
    union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = { 0 };
    struct iovec vector = { &byte, 1 };
    struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.head), &descriptor, sizeof(int));
    return sendmsg(channel, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* Takes what was passed and leaves it open. 1: taken, 0: the sender is gone, -1: errno. */
static inline int nightstand_receive_descriptor(int channel) {
    char byte;
    union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec vector = { &byte, 1 };
    struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
    return (int)recvmsg(channel, &message, 0);
}
