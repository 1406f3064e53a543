/*
 * Loaded into the processes of a database (LD_PRELOAD), this library records what a power cut would undo. Before a
 * file below UNSYNCED_ROOT changes, its old bytes go to that file's log in UNSYNCED_LOGS. When an fsync of the
 * file has returned, what was written before that fsync began leaves the log. The library relies on no setting and
 * no claim of the database, only on its system calls. See unsynced.ts, which puts the old bytes back.
 *
 * fdatasync, with which the database syncs its own log, takes up to UNSYNCED_SLOW_US microseconds longer, so that
 * kills also hit the middle of a commit.
 *
 * Names of files (creation, renaming, removal) count as durable at once, contents never before their fsync: the
 * order in which journaling file systems hurt most. Writes through stdio are not seen; PostgreSQL writes only what
 * it can do without in that way.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* At the start of each log. Positions count bytes since the log was made; `first` is that of the next byte. */
struct head { int64_t first, start, end; };
/* Before the old bytes of each change. */
struct change { int64_t offset, length, file_size; };

static char root[PATH_MAX], logs[PATH_MAX];
static long slow_us;

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *) dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void read_environment(void) {
  snprintf(root, sizeof root, "%s", getenv("UNSYNCED_ROOT") ?: "");
  snprintf(logs, sizeof logs, "%s", getenv("UNSYNCED_LOGS") ?: "");
  slow_us = atol(getenv("UNSYNCED_SLOW_US") ?: "0");
}

static int is_watched(int fd, struct stat *found) {
  char link[64], path[PATH_MAX];
  if (!*root || fstat(fd, found) != 0 || !S_ISREG(found->st_mode)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  return length > 0 && strncmp(path, root, strlen(root)) == 0;
}

static void log_path(char *path, size_t size, ino_t inode) {
  snprintf(path, size, "%s/%llu", logs, (unsigned long long) inode);
}

/* With an incomplete log, a cut would undo too little, in the database's favor: better end the database. */
static void require(int is_done) {
  if (!is_done) abort();
}

static int open_log(ino_t inode, struct head *head) {
  char path[PATH_MAX + 32];
  REAL(open);
  log_path(path, sizeof path, inode);
  int log = real(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  require(log >= 0 && flock(log, LOCK_EX) == 0);
  if (pread(log, head, sizeof *head, 0) != sizeof *head) memset(head, 0, sizeof *head);
  return log;
}

static void keep_head(int log, const struct head *head) {
  REAL(pwrite);
  require(real(log, head, sizeof *head, 0) == sizeof *head);
}

static void forget(ino_t inode) {
  char path[PATH_MAX + 32];
  REAL(unlink);
  if (!*root) return;
  log_path(path, sizeof path, inode);
  real(path);
}

/* Called before `length` bytes are written at `offset` or, if `length` is -1, all from there on is cut off. */
static void remember(int fd, off_t offset, ssize_t length) {
  struct stat found;
  struct head head;
  int before = errno;
  if (is_watched(fd, &found)) {
    REAL(pwrite);
    int log = open_log(found.st_ino, &head);
    require(fstat(fd, &found) == 0);
    off_t old = found.st_size > offset ? found.st_size - offset : 0;
    if (length >= 0 && old > length) old = length;
    char *record = malloc(sizeof(struct change) + old);
    require(record != NULL);
    *(struct change *) record = (struct change){offset, old, found.st_size};
    if (old > 0) {
      ssize_t got = pread(fd, record + sizeof(struct change), old, offset);
      if (got < 0) {
        char link[64];
        REAL(open);
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        int readable = real(link, O_RDONLY | O_CLOEXEC);
        got = pread(readable, record + sizeof(struct change), old, offset);
        close(readable);
      }
      require(got == old);
    }
    ssize_t size = sizeof(struct change) + old;
    require(real(log, record, size, sizeof head + head.end - head.first) == size);
    /* The record counts only from here on: a kill before this leaves the log as it was. */
    head.end += size;
    keep_head(log, &head);
    free(record);
    close(log);
  }
  errno = before;
}

static void remember_path(const char *path, off_t size) {
  REAL(open);
  if (!*root) return;
  int fd = real(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  remember(fd, size, -1);
  close(fd);
}

/* Returns where the log ends now: everything before that is durable when this fsync returns. */
static int64_t begin_sync(int fd, struct stat *found) {
  struct head head;
  if (!is_watched(fd, found)) return -1;
  close(open_log(found->st_ino, &head));
  return head.end;
}

static void end_sync(ino_t inode, int64_t upto) {
  struct head head;
  int before = errno;
  int log = open_log(inode, &head);
  if (upto > head.start) head.start = upto;
  if (head.start == head.end) head.first = head.end;
  keep_head(log, &head);
  if (head.first == head.end) {
    REAL(ftruncate);
    real(log, sizeof head);
  }
  close(log);
  errno = before;
}

#define SYNC(name, delay_us) \
  int name(int fd) { \
    struct stat found; \
    REAL(name); \
    int64_t upto = begin_sync(fd, &found); \
    if (upto >= 0 && delay_us > 0) usleep(random() % (delay_us + 1)); \
    int result = real(fd); \
    if (result == 0 && upto >= 0) end_sync(found.st_ino, upto); \
    return result; \
  }
SYNC(fsync, 0)
SYNC(fdatasync, slow_us)

static off_t position_of(int fd) {
  struct stat found;
  if (fcntl(fd, F_GETFL) & O_APPEND) return fstat(fd, &found) == 0 ? found.st_size : 0;
  return lseek(fd, 0, SEEK_CUR);
}

static ssize_t total(const struct iovec *parts, int count) {
  ssize_t sum = 0;
  for (int i = 0; i < count; i++) sum += parts[i].iov_len;
  return sum;
}

ssize_t write(int fd, const void *bytes, size_t size) {
  struct stat found;
  REAL(write);
  if (is_watched(fd, &found)) remember(fd, position_of(fd), size);
  return real(fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
  REAL(pwrite);
  remember(fd, offset, size);
  return real(fd, bytes, size, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  struct stat found;
  REAL(writev);
  if (is_watched(fd, &found)) remember(fd, position_of(fd), total(parts, count));
  return real(fd, parts, count);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  REAL(pwritev);
  remember(fd, offset, total(parts, count));
  return real(fd, parts, count, offset);
}

ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t size, unsigned flags) {
  REAL(copy_file_range);
  remember(to, to_offset ? *to_offset : position_of(to), size);
  return real(from, from_offset, to, to_offset, size, flags);
}

int ftruncate(int fd, off_t size) {
  REAL(ftruncate);
  remember(fd, size, -1);
  return real(fd, size);
}

int truncate(const char *path, off_t size) {
  REAL(truncate);
  remember_path(path, size);
  return real(path, size);
}

int posix_fallocate(int fd, off_t offset, off_t size) {
  REAL(posix_fallocate);
  remember(fd, offset, 0);
  return real(fd, offset, size);
}

/* A new file may get the inode number of a file that is gone, so the log of that number must go. */
int open(const char *path, int flags, ...) {
  struct stat found;
  mode_t mode = 0;
  REAL(open);
  if (flags & O_CREAT) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  int before = errno;
  int is_new = *root && (flags & O_CREAT) && stat(path, &found) != 0;
  if ((flags & O_TRUNC) && !is_new) remember_path(path, 0);
  errno = before;
  int fd = real(path, flags, mode);
  before = errno;
  if (fd >= 0 && is_new && is_watched(fd, &found)) forget(found.st_ino);
  errno = before;
  return fd;
}

int unlink(const char *path) {
  struct stat found;
  REAL(unlink);
  int before = errno;
  int is_last = *root && lstat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink == 1;
  errno = before;
  int result = real(path);
  before = errno;
  if (result == 0 && is_last) forget(found.st_ino);
  errno = before;
  return result;
}

int rename(const char *from, const char *to) {
  struct stat replaced;
  REAL(rename);
  int before = errno;
  int is_there = *root && lstat(to, &replaced) == 0 && S_ISREG(replaced.st_mode);
  errno = before;
  int result = real(from, to);
  before = errno;
  if (result == 0 && is_there) forget(replaced.st_ino);
  errno = before;
  return result;
}
