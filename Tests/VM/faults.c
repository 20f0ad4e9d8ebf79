/* faults.so, preloaded into the daemon: a card that fails, and a process that dies where it hurts most.
 * While /tmp/fail exists no sync reaches the card and each says EIO. While /tmp/slow exists each takes 300 ms longer, before
 * anything reaches the card. While /tmp/die exists the first sync that has worked is
 * the last thing the process does: what it made durable is told to nobody. While /tmp/syncs exists each sync that has worked
 * is noted there, in milliseconds of the monotonic clock. It must not change anything else. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int synced(int fd, long call) {
	if (!access("/tmp/fail", F_OK)) { errno = EIO; return -1; }
	if (!access("/tmp/slow", F_OK)) usleep(300000);
	int result = syscall(call, fd);
	if (result) return result;
	if (!access("/tmp/die", F_OK)) kill(getpid(), SIGKILL);
	int log = open("/tmp/syncs", O_WRONLY | O_APPEND);
	if (log >= 0) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		dprintf(log, "%lld\n", now.tv_sec * 1000ll + now.tv_nsec / 1000000);
		close(log);
	}
	return 0;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }
