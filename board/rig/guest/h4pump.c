/* h4pump PORT: joins /dev/vhci to a virtio-serial port that carries H4.
 * The vhci side wants exactly one H4 packet for each write() and gives one for each read(); the port is a stream.
 * It owns no Bluetooth knowledge beyond packet lengths, and must never drop or reorder a packet. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void die(const char *what) { perror(what); exit(1); }

static void write_all(int fd, const unsigned char *bytes, size_t count) {
	while (count) {
		ssize_t written = write(fd, bytes, count);
		if (written < 0) {
			if (errno != EINTR && errno != EAGAIN) die("write port");
			poll(&(struct pollfd){ fd, POLLOUT, 0 }, 1, -1);
			continue;
		}
		bytes += written;
		count -= written;
	}
}

/* length of the H4 packet at p, 0 when more bytes are needed, -1 on an unknown packet type */
static long packet_length(const unsigned char *p, size_t n) {
	static const struct { size_t header, at, wide; } kind[] = {
		{ 0 }, { 4, 3, 0 } /* command */, { 5, 3, 1 } /* ACL */, { 4, 3, 0 } /* SCO */, { 3, 2, 0 } /* event */ };
	if (!n) return 0;
	if (p[0] < 1 || p[0] > 4) return -1;
	size_t header = kind[p[0]].header;
	if (n < header) return 0;
	size_t length = header + (p[kind[p[0]].at] | (kind[p[0]].wide ? p[4] << 8 : 0));
	return n < length ? 0 : (long)length;
}

int main(int argc, char **argv) {
	static unsigned char in[1 << 18], out[4096];
	size_t have = 0;
	if (argc != 2) return 2;
	int port = open(argv[1], O_RDWR);
	if (port < 0) die(argv[1]);
	/* an adapter that appears before anyone answers costs the kernel 2 s and a failed setup: wait for the host side */
	for (struct pollfd wait = { port, POLLIN, 0 }; wait.revents = 0, poll(&wait, 1, 0), wait.revents & POLLHUP;) usleep(5000);
	int vhci = open("/dev/vhci", O_RDWR);
	if (vhci < 0) die("/dev/vhci");
	if (write(vhci, (unsigned char[]){ 0xff, 0 }, 2) != 2) die("create adapter");
	for (;;) {
		struct pollfd wait[2] = { { vhci, POLLIN, 0 }, { port, POLLIN, 0 } };
		if (poll(wait, 2, -1) < 0) die("poll");
		if (wait[0].revents & POLLIN) {
			ssize_t count = read(vhci, out, sizeof out);
			if (count < 0) die("read vhci");
			if (count && out[0] != 0xff) write_all(port, out, count); /* 0xff: the answer to "create" */
		}
		if (wait[1].revents & POLLIN) {
			ssize_t count = read(port, in + have, sizeof in - have);
			if (count < 0 && errno != EAGAIN) die("read port");
			if (count > 0) have += count;
			size_t done = 0;
			long length;
			while ((length = packet_length(in + done, have - done)) > 0) {
				if (write(vhci, in + done, length) != length) perror("write vhci");
				done += length;
			}
			if (length < 0) { fprintf(stderr, "bad H4 type %02x\n", in[done]); return 1; }
			memmove(in, in + done, have - done);
			have -= done;
		} else if (wait[1].revents & POLLHUP) usleep(20000); /* the host side is gone: keep the adapter, wait */
	}
}
