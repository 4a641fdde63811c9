// Declarations of the C library, POSIX, GNU and Linux kernel functions that the
// fixtures call. Nothing is defined here: what these functions do with memory is
// known from the library models alone. The prototypes are those of glibc on
// x86-64, so that a fixture means the same with this header as with the real ones.
#ifndef WATERTIGHT_STUBS_H
#define WATERTIGHT_STUBS_H

// Basic types.

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef long off_t;
typedef unsigned int mode_t;
typedef int pid_t;
typedef long time_t;
typedef unsigned int socklen_t;

#define NULL ((void *)0)
#define SIZE_MAX __SIZE_MAX__
#define INT_MAX __INT_MAX__
#define bool _Bool
#define true 1
#define false 0
#define offsetof(type, member) __builtin_offsetof(type, member)

typedef __builtin_va_list va_list;
#define va_start(list, last) __builtin_va_start(list, last)
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_copy(to, from) __builtin_va_copy(to, from)
#define va_end(list) __builtin_va_end(list)

#define STUB_NORETURN __attribute__((noreturn))

// errno.h

int *__errno_location(void) __attribute__((const));
#define errno (*__errno_location())
#define ENOENT 2
#define EINTR 4
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22

// assert.h

void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function) STUB_NORETURN;
#define assert(expression) ((expression) ? (void)0 : __assert_fail(#expression, __FILE__, __LINE__, __func__))

// stdlib.h

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *reallocarray(void *block, size_t count, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **out, size_t alignment, size_t size);
void free(void *block);
void exit(int status) STUB_NORETURN;
void _exit(int status) STUB_NORETURN;
void _Exit(int status) STUB_NORETURN;
void quick_exit(int status) STUB_NORETURN;
void abort(void) STUB_NORETURN;
int atexit(void (*function)(void));
int atoi(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
char *getenv(const char *name);
int rand(void);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
char *realpath(const char *path, char *resolved);
int mkstemp(char *pattern);

// string.h

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
void explicit_bzero(void *to, size_t count);
int memcmp(const void *left, const void *right, size_t count);
void *memchr(const void *in, int byte, size_t count);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t limit);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t count);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t count);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t count);
char *strchr(const char *text, int byte);
char *strpbrk(const char *text, const char *bytes);
char *strrchr(const char *text, int byte);
char *strstr(const char *text, const char *part);
char *strdup(const char *text);
char *strndup(const char *text, size_t limit);
char *strerror(int number);
char *strtok_r(char *text, const char *separators, char **state);

// ctype.h

int isdigit(int c);
int isspace(int c);
int toupper(int c);

// stdio.h

#define EOF (-1)
#define SEEK_SET 0
#define SEEK_END 2
#define BUFSIZ 8192

typedef struct _IO_FILE FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;

FILE *fopen(const char *path, const char *mode);
FILE *fdopen(int fd, const char *mode);
FILE *freopen(const char *path, const char *mode, FILE *stream);
FILE *tmpfile(void);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *stream);
FILE *open_memstream(char **buffer, size_t *size);
FILE *fmemopen(void *buffer, size_t size, const char *mode);
int fclose(FILE *stream);
int fflush(FILE *stream);
int feof(FILE *stream);
int ferror(FILE *stream);
int fgetc(FILE *stream);
char *fgets(char *buffer, int size, FILE *stream);
int fputc(int c, FILE *stream);
int fputs(const char *text, FILE *stream);
size_t fread(void *buffer, size_t size, size_t count, FILE *stream);
size_t fwrite(const void *buffer, size_t size, size_t count, FILE *stream);
int fseek(FILE *stream, long offset, int whence);
long ftell(FILE *stream);
int fileno(FILE *stream);
int puts(const char *text);
int putchar(int c);
void perror(const char *text);
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *buffer, size_t size, const char *format, va_list arguments);
int asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vasprintf(char **out, const char *format, va_list arguments);
int sscanf(const char *text, const char *format, ...);
int fscanf(FILE *stream, const char *format, ...);
int vfprintf(FILE *stream, const char *format, va_list arguments);
ssize_t getline(char **line, size_t *capacity, FILE *stream);
ssize_t getdelim(char **line, size_t *capacity, int delimiter, FILE *stream);

// fcntl.h, unistd.h, sys/*.h

#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_TRUNC 01000
#define F_DUPFD 0
#define F_SETFL 4
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

int open(const char *path, int flags, ...);
int openat(int directory, const char *path, int flags, ...);
int creat(const char *path, mode_t mode);
int fcntl(int fd, int command, ...);
int close(int fd);
ssize_t read(int fd, void *buffer, size_t count);
ssize_t write(int fd, const void *buffer, size_t count);
off_t lseek(int fd, off_t offset, int whence);
int pipe(int ends[2]);
int dup(int fd);
int dup2(int from, int to);
int isatty(int fd);
pid_t fork(void);
pid_t setsid(void);
pid_t waitpid(pid_t pid, int *status, int options);
int execvp(const char *file, char *const arguments[]);
int unlink(const char *path);
char *getcwd(char *buffer, size_t size);
unsigned int sleep(unsigned int seconds);

// dirent.h

typedef struct __dirstream DIR;
struct dirent {
    unsigned long d_ino;
    long d_off;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[256];
};

DIR *opendir(const char *path);
DIR *fdopendir(int fd);
struct dirent *readdir(DIR *directory);
int closedir(DIR *directory);
int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **));
int alphasort(const struct dirent **left, const struct dirent **right);

// sys/socket.h, netdb.h

#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET 2
#define SOCK_STREAM 1
#define SOCK_DGRAM 2

struct sockaddr {
    unsigned short sa_family;
    char sa_data[14];
};

struct addrinfo {
    int ai_flags;
    int ai_family;
    int ai_socktype;
    int ai_protocol;
    socklen_t ai_addrlen;
    struct sockaddr *ai_addr;
    char *ai_canonname;
    struct addrinfo *ai_next;
};

int socket(int domain, int type, int protocol);
int socketpair(int domain, int type, int protocol, int ends[2]);
int connect(int fd, const struct sockaddr *address, socklen_t length);
int bind(int fd, const struct sockaddr *address, socklen_t length);
int listen(int fd, int backlog);
int accept(int fd, struct sockaddr *address, socklen_t *length);
int shutdown(int fd, int how);
int setsockopt(int fd, int level, int name, const void *value, socklen_t length);
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result);
void freeaddrinfo(struct addrinfo *list);
const char *gai_strerror(int code);

// setjmp.h

struct __jmp_buf_tag {
    long __jmpbuf[8];
    int __mask_was_saved;
    unsigned long __saved_mask[16];
};
typedef struct __jmp_buf_tag jmp_buf[1];

int setjmp(jmp_buf environment) __attribute__((returns_twice));
void longjmp(jmp_buf environment, int value) STUB_NORETURN;

// pthread.h, semaphore.h

typedef unsigned long pthread_t;
typedef union {
    char __size[56];
    long __align;
} pthread_attr_t;
typedef union {
    char __size[40];
    long __align;
} pthread_mutex_t;
typedef union {
    char __size[48];
    long __align;
} pthread_cond_t;
typedef union {
    char __size[56];
    long __align;
} pthread_rwlock_t;
typedef volatile int pthread_spinlock_t;
typedef union {
    char __size[32];
    long __align;
} sem_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

#define PTHREAD_MUTEX_INITIALIZER { { 0 } }
#define PTHREAD_CREATE_DETACHED 1

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_destroy(pthread_attr_t *attributes);
void pthread_exit(void *result) STUB_NORETURN;
typedef struct {
    int kind;
} pthread_mutexattr_t;
#define PTHREAD_MUTEX_RECURSIVE 1
int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int kind);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);
int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_trylock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);
int sem_wait(sem_t *semaphore);
int sem_trywait(sem_t *semaphore);
int sem_post(sem_t *semaphore);

// zlib.h

typedef struct z_stream_s {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    struct internal_state *state;
    void *(*zalloc)(void *opaque, unsigned int items, unsigned int size);
    void (*zfree)(void *opaque, void *address);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} z_stream;
typedef struct gzFile_s *gzFile;

int deflateInit_(z_stream *stream, int level, const char *version, int size);
#define deflateInit(stream, level) deflateInit_((stream), (level), "1", (int)sizeof(z_stream))
int deflateEnd(z_stream *stream);
int inflateEnd(z_stream *stream);
gzFile gzopen(const char *path, const char *mode);
int gzclose(gzFile file);

// Linux kernel locks, with the kernel's own names; used in lock/ only.

typedef struct {
    int value;
} spinlock_t;
typedef struct {
    int value;
} rwlock_t;
struct mutex {
    int value;
};
struct semaphore {
    int value;
};

void spin_lock(spinlock_t *lock);
int spin_trylock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);
void spin_lock_irq(spinlock_t *lock);
void spin_unlock_irq(spinlock_t *lock);
unsigned long _raw_spin_lock_irqsave(spinlock_t *lock);
void spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags);
#define spin_lock_irqsave(lock, flags) ((void)((flags) = _raw_spin_lock_irqsave(lock)))
void read_lock(rwlock_t *lock);
void read_unlock(rwlock_t *lock);
void write_lock(rwlock_t *lock);
void write_unlock(rwlock_t *lock);
void mutex_lock(struct mutex *lock);
int mutex_lock_interruptible(struct mutex *lock);
int mutex_trylock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);
void down(struct semaphore *semaphore);
int down_interruptible(struct semaphore *semaphore);
int down_trylock(struct semaphore *semaphore);
void up(struct semaphore *semaphore);

#endif
