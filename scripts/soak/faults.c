/* Errors of the disk and of the clock, for scripts/soak/faults.py and hour.py: preloaded into a server, it
 * lets chosen writes below FAULTS_ROOT fail. FAULTS_CONTROL is a file of five numbers of 64 bits, shared
 * with the script: how many writes there have been, the first and the one behind the last that fail, the
 * error; and by how many seconds the clock is ahead. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

struct control {
    uint64_t done, from, until, error;
    int64_t ahead;
};

static struct control *control;
static char root[4096];

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS_CONTROL"), *below = getenv("FAULTS_ROOT");
    if (!path || !below) return;
    snprintf(root, sizeof root, "%s", below);
    int (*open_file)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int file = open_file(path, O_RDWR);
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED) control = shared;
}

static int fails(const char *path) {
    if (!control || strncmp(path, root, strlen(root)) != 0) return 0;
    uint64_t number = __atomic_fetch_add(&control->done, 1, __ATOMIC_SEQ_CST);
    uint64_t from = __atomic_load_n(&control->from, __ATOMIC_SEQ_CST);
    uint64_t until = __atomic_load_n(&control->until, __ATOMIC_SEQ_CST);
    if (number < from || number >= until) return 0;
    errno = (int)__atomic_load_n(&control->error, __ATOMIC_SEQ_CST);
    return 1;
}

static int file_fails(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fails(path);
}

#define NEXT(type, name, ...) static type (*next)(__VA_ARGS__); if (!next) next = dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void *bytes, size_t count) {
    NEXT(ssize_t, "write", int, const void *, size_t);
    return file_fails(file) ? -1 : next(file, bytes, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    NEXT(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    return file_fails(file) ? -1 : next(file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    return pwrite64(file, bytes, count, at);
}

int fsync(int file) {
    NEXT(int, "fsync", int);
    return file_fails(file) ? -1 : next(file);
}

int fdatasync(int file) {
    NEXT(int, "fdatasync", int);
    return file_fails(file) ? -1 : next(file);
}

int ftruncate64(int file, off64_t length) {
    NEXT(int, "ftruncate64", int, off64_t);
    return file_fails(file) ? -1 : next(file, length);
}

int ftruncate(int file, off_t length) {
    return ftruncate64(file, length);
}

int rename(const char *from, const char *to) {
    NEXT(int, "rename", const char *, const char *);
    return fails(to) ? -1 : next(from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    NEXT(int, "renameat2", int, const char *, int, const char *, unsigned);
    return fails(to) ? -1 : next(a, from, b, to, flags);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(int, "mkdir", const char *, mode_t);
    return fails(path) ? -1 : next(path, mode);
}

int open64(const char *path, int flags, ...) {
    NEXT(int, "open64", const char *, int, ...);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return (flags & O_CREAT) && fails(path) ? -1 : next(path, flags, mode);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    NEXT(int, "clock_gettime", clockid_t, struct timespec *);
    int result = next(clock, time);
    if (result == 0 && control && clock == CLOCK_REALTIME)
        time->tv_sec += __atomic_load_n(&control->ahead, __ATOMIC_SEQ_CST);
    return result;
}
