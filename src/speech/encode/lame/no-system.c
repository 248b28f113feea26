/* LAME can write tags to files and messages to stderr. Here it has neither: with these in the place of what wasi-libc
   would import, the module imports nothing at all. */
#include <stdint.h>

enum { ENOSYS_OF_WASI = 52 };

#define ABSENT(name, ...) \
  int32_t __imported_wasi_snapshot_preview1_##name(__VA_ARGS__) { return ENOSYS_OF_WASI; }

ABSENT(fd_close, int32_t fd)
ABSENT(fd_fdstat_get, int32_t fd, int32_t stat)
ABSENT(fd_seek, int32_t fd, int64_t offset, int32_t whence, int32_t position)
ABSENT(fd_write, int32_t fd, int32_t parts, int32_t count, int32_t written)

_Noreturn void __imported_wasi_snapshot_preview1_proc_exit(int32_t code) { __builtin_trap(); }
