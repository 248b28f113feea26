/* What LAME's configure would write for WebAssembly with wasi-libc. */
#define STDC_HEADERS 1
#define HAVE_LIMITS_H 1
#define HAVE_STDINT_H 1
#define HAVE_STRCHR 1
#define HAVE_MEMCPY 1
#define PACKAGE "lame"
#define VERSION "3.100"
#define LAME_LIBRARY_BUILD 1
#define USE_FAST_LOG 1
typedef float ieee754_float32_t;
typedef double ieee754_float64_t;
typedef long double ieee854_float80_t;
