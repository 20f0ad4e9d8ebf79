/* Owns the calls into libgpiod, version 1.6 or 2.x: each call of CGPIO.h, written once or twice. No logic. */
#define _GNU_SOURCE
#include "CGPIO.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONSUMER "nightstand"
#define LINES_MAX 3

#ifdef GPIOD_LINE_BULK_MAX_LINES /* only libgpiod 1 has it; neither header carries a version */
#define LIBGPIOD_1
#endif

struct nightstand_gpio {
  struct gpiod_chip *chip;
  unsigned offsets[LINES_MAX];
  int count;
#ifdef LIBGPIOD_1
  struct gpiod_line_bulk lines;
#else
  struct gpiod_line_request *request;
  struct gpiod_edge_event_buffer *edges;
#endif
};

static int failure(void) { return errno > 0 ? -errno : -EIO; }

/* Found or not: has the chip this label, or this line? */
static int matches(struct gpiod_chip *chip, const char *label, const char *line) {
#ifdef LIBGPIOD_1
  if (label) return strcmp(gpiod_chip_label(chip), label) == 0;
  return gpiod_chip_find_line(chip, line) != NULL;
#else
  if (!label) return gpiod_chip_get_line_offset_from_name(chip, line) >= 0;
  struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
  if (!info) return 0;
  int same = strcmp(gpiod_chip_info_get_label(info), label) == 0;
  gpiod_chip_info_free(info);
  return same;
#endif
}

int nightstand_gpio_open(const char *label, const char *line, nightstand_gpio **out) {
  if (!label && !line) return -EINVAL;
  DIR *dev = opendir("/dev");
  if (!dev) return failure();
  int error = -ENODEV;
  for (struct dirent *entry; (entry = readdir(dev));) {
    if (strncmp(entry->d_name, "gpiochip", 8)) continue;
    char path[sizeof "/dev/" + sizeof entry->d_name];
    snprintf(path, sizeof path, "/dev/%s", entry->d_name);
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip) {
      if (errno == EACCES || errno == EPERM) error = -errno;
      continue;
    }
    nightstand_gpio *gpio = matches(chip, label, line) ? calloc(1, sizeof *gpio) : NULL;
    if (!gpio) {
      gpiod_chip_close(chip);
      continue;
    }
    gpio->chip = chip;
    *out = gpio;
    error = 0;
    break;
  }
  closedir(dev);
  return error;
}

/* A second request on one handle would leak the first. */
static int fit(nightstand_gpio *gpio, const unsigned *offsets, int count) {
  if (count < 1 || count > LINES_MAX) return -EINVAL;
  if (gpio->count) return -EBUSY;
  memcpy(gpio->offsets, offsets, (size_t)count * sizeof *offsets);
  return 0;
}

#ifdef LIBGPIOD_1

int nightstand_gpio_offset(nightstand_gpio *gpio, const char *line) {
  struct gpiod_line *found = gpiod_chip_find_line(gpio->chip, line);
  return found ? (int)gpiod_line_offset(found) : -ENOENT;
}

static int request(nightstand_gpio *gpio, const unsigned *offsets, int count, int type, int flags) {
  int error = fit(gpio, offsets, count);
  if (error) return error;
  struct gpiod_line_request_config config = { CONSUMER, type, flags };
  int off[LINES_MAX] = { 0 };
  if (gpiod_chip_get_lines(gpio->chip, gpio->offsets, (unsigned)count, &gpio->lines) < 0) return failure();
  if (gpiod_line_request_bulk(&gpio->lines, &config, off) < 0) return failure();
  gpio->count = count;
  return 0;
}

int nightstand_gpio_request_outputs(nightstand_gpio *gpio, const unsigned *offsets, int count) {
  return request(gpio, offsets, count, GPIOD_LINE_REQUEST_DIRECTION_OUTPUT, 0);
}

static int request_button(nightstand_gpio *gpio, unsigned offset) {
  return request(gpio, &offset, 1, GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES,
                 GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP);
}

int nightstand_gpio_set(nightstand_gpio *gpio, unsigned levels) {
  int values[LINES_MAX];
  for (int i = 0; i < LINES_MAX; i++) values[i] = levels >> i & 1;
  return gpiod_line_set_value_bulk(&gpio->lines, values) < 0 ? failure() : 0;
}

int nightstand_gpio_get(nightstand_gpio *gpio) {
  int value = gpiod_line_get_value(gpio->lines.lines[0]);
  return value < 0 ? failure() : value;
}

int nightstand_gpio_fd(nightstand_gpio *gpio) {
  int fd = gpiod_line_event_get_fd(gpio->lines.lines[0]);
  return fd < 0 ? failure() : fd;
}

int nightstand_gpio_read(nightstand_gpio *gpio, struct nightstand_edge *edge) {
  struct gpiod_line_event event;
  if (gpiod_line_event_read(gpio->lines.lines[0], &event) < 0) return failure();
  edge->monotonic_ns = (int64_t)event.ts.tv_sec * 1000000000 + event.ts.tv_nsec;
  edge->level = event.event_type == GPIOD_LINE_EVENT_RISING_EDGE;
  return 0;
}

static void release(nightstand_gpio *gpio) {
  if (gpio->count) gpiod_line_release_bulk(&gpio->lines);
}

#else /* libgpiod 2 */

int nightstand_gpio_offset(nightstand_gpio *gpio, const char *line) {
  int offset = gpiod_chip_get_line_offset_from_name(gpio->chip, line);
  return offset < 0 ? failure() : offset;
}

/* Takes the settings. */
static int request(nightstand_gpio *gpio, const unsigned *offsets, int count, struct gpiod_line_settings *settings) {
  int error = fit(gpio, offsets, count);
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *config = gpiod_request_config_new();
  if (!error && !(settings && lines && config)) error = -ENOMEM;
  if (!error && gpiod_line_config_add_line_settings(lines, gpio->offsets, (size_t)count, settings) < 0) error = failure();
  if (!error) {
    gpiod_request_config_set_consumer(config, CONSUMER);
    gpio->request = gpiod_chip_request_lines(gpio->chip, config, lines);
    if (gpio->request) gpio->count = count;
    else error = failure();
  }
  gpiod_request_config_free(config);
  gpiod_line_config_free(lines);
  gpiod_line_settings_free(settings);
  return error;
}

int nightstand_gpio_request_outputs(nightstand_gpio *gpio, const unsigned *offsets, int count) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (settings) gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
  return request(gpio, offsets, count, settings);
}

static int request_button(nightstand_gpio *gpio, unsigned offset) {
  gpio->edges = gpiod_edge_event_buffer_new(1);
  if (!gpio->edges) return -ENOMEM;
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (settings) {
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
    gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_UP);
    gpiod_line_settings_set_active_low(settings, true);
  }
  return request(gpio, &offset, 1, settings);
}

int nightstand_gpio_set(nightstand_gpio *gpio, unsigned levels) {
  enum gpiod_line_value values[LINES_MAX];
  for (int i = 0; i < LINES_MAX; i++) values[i] = levels >> i & 1 ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return gpiod_line_request_set_values_subset(gpio->request, (size_t)gpio->count, gpio->offsets, values) < 0 ? failure() : 0;
}

int nightstand_gpio_get(nightstand_gpio *gpio) {
  enum gpiod_line_value value = gpiod_line_request_get_value(gpio->request, gpio->offsets[0]);
  return value == GPIOD_LINE_VALUE_ERROR ? failure() : value == GPIOD_LINE_VALUE_ACTIVE;
}

int nightstand_gpio_fd(nightstand_gpio *gpio) { return gpiod_line_request_get_fd(gpio->request); }

int nightstand_gpio_read(nightstand_gpio *gpio, struct nightstand_edge *edge) {
  if (gpiod_line_request_read_edge_events(gpio->request, gpio->edges, 1) < 1) return failure();
  struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(gpio->edges, 0);
  edge->monotonic_ns = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
  edge->level = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
  return 0;
}

static void release(nightstand_gpio *gpio) {
  if (gpio->request) gpiod_line_request_release(gpio->request);
  if (gpio->edges) gpiod_edge_event_buffer_free(gpio->edges);
}

#endif

int nightstand_gpio_request_button(nightstand_gpio *gpio, unsigned offset) {
  int error = request_button(gpio, offset);
  if (error) return error;
  int fd = nightstand_gpio_fd(gpio);
  return fd < 0 ? fd : fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0 ? failure() : 0;
}

void nightstand_gpio_close(nightstand_gpio *gpio) {
  if (!gpio) return;
  release(gpio);
  gpiod_chip_close(gpio->chip);
  free(gpio);
}
