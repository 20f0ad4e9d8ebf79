/* Owns what Swift cannot import from SQLite and from the files beside a database: casts, variadic calls, errno. No logic. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sqlite3.h>
/* The destructor constant is a cast, which Swift cannot import. */
static inline sqlite3_destructor_type nightstand_sqlite_transient(void) { return SQLITE_TRANSIENT; }
/* Chance inside SQLite, the salts of a WAL, the same in every run. */
static inline void nightstand_sqlite_seed(int seed) { sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, seed, (sqlite3 *)0); }
static inline int nightstand_file_errno(void) { return errno; }
/* d_name is an array in Swift's eyes. */
static inline const char *nightstand_entry_name(const struct dirent *entry) { return entry->d_name; }
static inline int nightstand_open_directory(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); }
