/* Owns the difference between libgpiod 1.6 (Debian 12) and 2.x (Debian 13). Says what the board's lines can be asked;
 * decides nothing: which lines, when, and what an edge means is Swift's. One handle is one chip with at most three
 * requested lines. Calls that can fail return a negative errno. */
#pragma once
#include <stdint.h>

typedef struct nightstand_gpio nightstand_gpio;

/* Finds a chip by its label, or, with no label, the chip that has a line of this name. Never by number: the kernel
 * deals those out in the order of its probing. -ENODEV: there is none; -EACCES, -EPERM: one may not be opened. */
int nightstand_gpio_open(const char *label, const char *line, nightstand_gpio **out);
/* The offset of the line with this name, or -ENOENT. */
int nightstand_gpio_offset(nightstand_gpio *gpio, const char *line);

/* Requests one to three outputs, all off. -EBUSY: another program holds a line. */
int nightstand_gpio_request_outputs(nightstand_gpio *gpio, const unsigned *offsets, int count);
/* Requests one input: pull-up, active low, both edges reported. */
int nightstand_gpio_request_button(nightstand_gpio *gpio, unsigned offset);

/* Sets every requested output: bit 0 is the first line. */
int nightstand_gpio_set(nightstand_gpio *gpio, unsigned levels);
/* The level of the first requested line: 1 active, 0 not. */
int nightstand_gpio_get(nightstand_gpio *gpio);

/* Readable while edges wait; it never blocks. Closed by nightstand_gpio_close. */
int nightstand_gpio_fd(nightstand_gpio *gpio);
struct nightstand_edge {
  int64_t monotonic_ns; /* CLOCK_MONOTONIC, taken by the kernel in the interrupt */
  int level;            /* after the edge: 1 active, 0 not */
};
/* Takes one waiting edge. -EAGAIN: none waits. */
int nightstand_gpio_read(nightstand_gpio *gpio, struct nightstand_edge *edge);

/* Releases the lines and the chip. NULL is allowed. */
void nightstand_gpio_close(nightstand_gpio *gpio);
