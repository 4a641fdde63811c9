/*
 * The observer that is loaded into every process of a wrapped build.
 *
 * It is compiled once by the clang that is needed anyway, and loaded through LD_PRELOAD. It writes two kinds of
 * records:
 *
 *   started   from its constructor, by a process about itself: exact, but only for programs linked dynamically;
 *   asked     from exec and spawn functions, by the process that asks: also sees programs linked statically.
 *
 * The reader takes "asked" only where no "started" answers it.
 *
 * Rules. After vfork the memory is the parent's: the hooks allocate nothing, take no lock, change no global and
 * leave errno alone; they only open, write and close. A record of at most BLOCK bytes is one write to a file opened
 * for appending, so records of different processes never mix; a longer one gets a file of its own.
 *
 * Kinship is passed in an environment variable of fixed width, which each process overwrites in place with its own
 * identity. Process numbers would not do: they are used again within one long build.
 *
 * A record: netstrings "<length>:<bytes>,", ended by a newline:
 *   kind, identity, parent, program, directory, number of arguments, arguments..., number of variables,
 *   name=value..., number of response files, (name, content)...
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096
#define PATH_LENGTH 4096
#define IDENTITY 32
#define MAX_RESPONSE (4 << 20)

#define LOG "WATERTIGHT_CAPTURE_LOG="
#define LIBRARY "WATERTIGHT_CAPTURE_LIBRARY="
#define PARENT "WATERTIGHT_CAPTURE_PARENT="
#define PRELOAD "LD_PRELOAD="
/* What is added to the name of the log gives that of the mark that a record is lost. */
#define LOST ".lost"

extern char **environ;

/* Set by the constructor, only read afterwards. Each entry holds NAME=value. */
static char log_entry[sizeof LOG + PATH_LENGTH];
static char library_entry[sizeof LIBRARY + PATH_LENGTH];
static char parent_entry[sizeof PARENT + IDENTITY] = PARENT;
static int ready;

static int (*real_execve)(const char *, char *const[], char *const[]);
static int (*real_execvpe)(const char *, char *const[], char *const[]);
static int (*real_fexecve)(int, char *const[], char *const[]);
static int (*real_execveat)(int, const char *, char *const[], char *const[], int);
static int (*real_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                         char *const[], char *const[]);
static int (*real_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                          char *const[], char *const[]);

static const char *const variables[] = {"CPATH=", "C_INCLUDE_PATH=", "CPLUS_INCLUDE_PATH=", "SDKROOT=",
                                        "MACOSX_DEPLOYMENT_TARGET="};

static int starts(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static size_t count(char *const *list)
{
    size_t n = 0;
    if (list)
        while (list[n])
            n++;
    return n;
}

/* ---- writing a record ------------------------------------------------------------------------------------------ */

struct out {
    int fd; /* -1: only measures */
    int lost; /* something could not be written */
    size_t total;
    size_t used;
    char buffer[BLOCK];
};

static void flush(struct out *out)
{
    size_t done = 0;
    while (out->fd >= 0 && done < out->used) {
        ssize_t n = write(out->fd, out->buffer + done, out->used - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            out->lost = 1;
            break;
        }
        done += (size_t)n;
    }
    out->used = 0;
}

static void put(struct out *out, const char *bytes, size_t length)
{
    out->total += length;
    if (out->fd < 0)
        return;
    while (length) {
        size_t room = BLOCK - out->used, part = length < room ? length : room;
        memcpy(out->buffer + out->used, bytes, part);
        out->used += part;
        bytes += part;
        length -= part;
        if (out->used == BLOCK && length)
            flush(out);
    }
}

static size_t decimal(char *digits, size_t number)
{
    char reversed[24];
    size_t n = 0, i;
    do {
        reversed[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    for (i = 0; i < n; i++)
        digits[i] = reversed[n - 1 - i];
    return n;
}

static void put_length(struct out *out, size_t length)
{
    char digits[24];
    put(out, digits, decimal(digits, length));
    put(out, ":", 1);
}

static void put_bytes(struct out *out, const char *bytes, size_t length)
{
    put_length(out, length);
    put(out, bytes, length);
    put(out, ",", 1);
}

static void put_text(struct out *out, const char *text) { put_bytes(out, text, strlen(text)); }

static void put_number(struct out *out, size_t number)
{
    char digits[24];
    put_bytes(out, digits, decimal(digits, number));
}

/* A response file may be gone when the build ends, so its text goes into the record. */
static size_t response_size(const char *argument)
{
    struct stat data;
    if (argument[0] != '@' || !argument[1] || stat(argument + 1, &data) != 0 || !S_ISREG(data.st_mode) ||
        data.st_size > MAX_RESPONSE)
        return (size_t)-1;
    return (size_t)data.st_size;
}

static void put_response(struct out *out, const char *argument, size_t size)
{
    char part[512];
    int fd = -1;
    put_text(out, argument + 1);
    put_length(out, size);
    if (out->fd < 0) {
        out->total += size;
    } else {
        fd = open(argument + 1, O_RDONLY | O_CLOEXEC);
        while (size) {
            size_t want = size < sizeof part ? size : sizeof part;
            ssize_t n = fd < 0 ? 0 : read(fd, part, want);
            if (n <= 0) { /* shorter than it was: a blank means nothing in a response file */
                memset(part, ' ', want);
                n = (ssize_t)want;
            }
            put(out, part, (size_t)n);
            size -= (size_t)n;
        }
        if (fd >= 0)
            close(fd);
    }
    put(out, ",", 1);
}

struct record {
    const char *kind, *parent, *program;
    char *const *arguments;
    char *const *environment;
    int responses;
    const char *directory;
};

static void put_record(struct out *out, const struct record *record)
{
    size_t arguments = count(record->arguments), i, v, found = 0;
    put_text(out, record->kind);
    put_text(out, parent_entry + sizeof PARENT - 1);
    put_text(out, record->parent);
    put_text(out, record->program);
    put_text(out, record->directory);
    put_number(out, arguments);
    for (i = 0; i < arguments; i++)
        put_text(out, record->arguments[i]);
    for (i = 0; record->environment && record->environment[i]; i++)
        for (v = 0; v < sizeof variables / sizeof *variables; v++)
            found += (size_t)starts(record->environment[i], variables[v]);
    put_number(out, found);
    for (i = 0; record->environment && record->environment[i]; i++)
        for (v = 0; v < sizeof variables / sizeof *variables; v++)
            if (starts(record->environment[i], variables[v]))
                put_text(out, record->environment[i]);
    found = 0;
    if (record->responses)
        for (i = 0; i < arguments; i++)
            found += response_size(record->arguments[i]) != (size_t)-1;
    put_number(out, found);
    if (found)
        for (i = 0; i < arguments; i++) {
            size_t size = response_size(record->arguments[i]);
            if (size != (size_t)-1)
                put_response(out, record->arguments[i], size);
        }
    put(out, "\n", 1);
}

static size_t hexadecimal(char *digits, unsigned long long number, size_t width)
{
    size_t i;
    for (i = 0; i < width; i++) {
        digits[width - 1 - i] = "0123456789abcdef"[number & 15];
        number >>= 4;
    }
    return width;
}

/* What no other process or thread can be at the same time: thread number and nanosecond. */
static void identify(char identity[IDENTITY + 1])
{
    struct timespec now = {0, 0};
    size_t n = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    n += hexadecimal(identity + n, (unsigned long long)syscall(SYS_gettid), 8);
    n += hexadecimal(identity + n, (unsigned long long)now.tv_sec, 16);
    n += hexadecimal(identity + n, (unsigned long long)now.tv_nsec, 8);
    identity[n] = 0;
}

static void write_record(struct record *record)
{
    const char *log = log_entry + sizeof LOG - 1;
    size_t length = strlen(log);
    char directory[PATH_LENGTH], file[length + IDENTITY + 2];
    struct out out;
    int saved = errno;
    long got = syscall(SYS_getcwd, directory, sizeof directory);
    record->directory = got > 0 && directory[0] == '/' ? directory : "";
    out.fd = -1;
    out.total = out.used = 0;
    put_record(&out, record);

    memcpy(file, log, length + 1);
    if (out.total > BLOCK) {
        file[length] = '.';
        identify(file + length + 1);
    }
    out.fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    out.lost = out.fd < 0;
    if (out.fd >= 0) {
        out.total = 0;
        put_record(&out, record);
        flush(&out);
        close(out.fd);
    }
    if (out.lost) { /* The mark is there already, so that it needs no room on a full disk. */
        memcpy(file + length, LOST, sizeof LOST);
        out.fd = open(file, O_WRONLY | O_CLOEXEC);
        if (out.fd >= 0) {
            (void)!write(out.fd, "!", 1);
            close(out.fd);
        }
    }
    errno = saved;
}

static void record_asked(const char *program, char *const argv[], char *const envp[])
{
    struct record record = {"asked", "", program ? program : "", argv, envp, 0, ""};
    if (ready && argv && argv[0])
        write_record(&record);
}

/* ---- starting up ----------------------------------------------------------------------------------------------- */

static void resolve(void)
{
    *(void **)&real_execve = dlsym(RTLD_NEXT, "execve");
    *(void **)&real_execvpe = dlsym(RTLD_NEXT, "execvpe");
    *(void **)&real_fexecve = dlsym(RTLD_NEXT, "fexecve");
    *(void **)&real_execveat = dlsym(RTLD_NEXT, "execveat");
    *(void **)&real_spawn = dlsym(RTLD_NEXT, "posix_spawn");
    *(void **)&real_spawnp = dlsym(RTLD_NEXT, "posix_spawnp");
}

static int remember(char *entry, const char *name, const char *value)
{
    size_t start = strlen(name), length = value ? strlen(value) : 0;
    if (!length || length >= PATH_LENGTH)
        return 0;
    memcpy(entry, name, start);
    memcpy(entry + start, value, length + 1);
    return 1;
}

__attribute__((constructor)) static void start(int argc, char **argv, char **envp)
{
    static char program[PATH_LENGTH];
    char parent[IDENTITY + 1] = "";
    char *place = getenv("WATERTIGHT_CAPTURE_PARENT");
    ssize_t length;
    int saved = errno;
    resolve();
    if (!remember(log_entry, LOG, getenv("WATERTIGHT_CAPTURE_LOG")) ||
        !remember(library_entry, LIBRARY, getenv("WATERTIGHT_CAPTURE_LIBRARY"))) {
        errno = saved;
        return;
    }
    identify(parent_entry + sizeof PARENT - 1);
    if (place && strlen(place) == IDENTITY) {
        memcpy(parent, place, IDENTITY + 1);
        memcpy(place, parent_entry + sizeof PARENT - 1, IDENTITY);
    }
    ready = 1;
#ifdef __GLIBC__
    /* Only glibc hands the arguments to constructors. */
    length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    if (argc > 0 && argv) {
        struct record record = {"started", parent, program, argv, envp, 1, ""};
        write_record(&record);
    }
#else
    (void)argc, (void)argv, (void)envp, (void)length, (void)program;
#endif
    errno = saved;
}

/* ---- passing the observer on ----------------------------------------------------------------------------------- */

/* Some build tools clean the environment of what they start. These put our entries back; the arrays are the
 * caller's, on its stack. */

static size_t preload_size(char *const *envp)
{
    size_t i, size = sizeof PRELOAD + sizeof ":" + strlen(library_entry);
    for (i = 0; envp && envp[i]; i++)
        if (starts(envp[i], PRELOAD))
            size += strlen(envp[i]);
    return size;
}

static char *const *complete(char *const *envp, char **list, char *preload)
{
    const char *library = library_entry + sizeof LIBRARY - 1;
    size_t i, n = 0;
    int has_preload = 0;
    if (!ready)
        return envp;
    for (i = 0; envp && envp[i]; i++) {
        if (starts(envp[i], LOG) || starts(envp[i], LIBRARY) || starts(envp[i], PARENT))
            continue;
        if (starts(envp[i], PRELOAD) && !has_preload) {
            has_preload = 1;
            if (!strstr(envp[i], library)) {
                size_t length = strlen(envp[i]);
                memcpy(preload, envp[i], length);
                if (length > sizeof PRELOAD - 1)
                    preload[length++] = ':';
                memcpy(preload + length, library, strlen(library) + 1);
                list[n++] = preload;
                continue;
            }
        }
        list[n++] = envp[i];
    }
    if (!has_preload) {
        memcpy(preload, PRELOAD, sizeof PRELOAD - 1);
        memcpy(preload + sizeof PRELOAD - 1, library, strlen(library) + 1);
        list[n++] = preload;
    }
    list[n++] = log_entry;
    list[n++] = library_entry;
    list[n++] = parent_entry;
    list[n] = NULL;
    return list;
}

#define COMPLETED(envp)                                                                                               \
    char *completed_list[count(envp) + 5];                                                                            \
    char completed_preload[preload_size(envp)];                                                                       \
    char *const *completed = complete(envp, completed_list, completed_preload)

#define NEED(function)                                                                                                \
    do {                                                                                                              \
        if (!(function))                                                                                              \
            resolve();                                                                                                \
        if (!(function)) {                                                                                            \
            errno = ENOSYS;                                                                                           \
            return -1;                                                                                                \
        }                                                                                                             \
    } while (0)

/* ---- the hooks ------------------------------------------------------------------------------------------------- */

__attribute__((visibility("default"))) int execve(const char *path, char *const argv[], char *const envp[])
{
    COMPLETED(envp);
    NEED(real_execve);
    record_asked(path, argv, completed);
    return real_execve(path, argv, completed);
}

__attribute__((visibility("default"))) int execvpe(const char *file, char *const argv[], char *const envp[])
{
    COMPLETED(envp);
    NEED(real_execvpe);
    record_asked(file, argv, completed);
    return real_execvpe(file, argv, completed);
}

__attribute__((visibility("default"))) int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

__attribute__((visibility("default"))) int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

__attribute__((visibility("default"))) int fexecve(int fd, char *const argv[], char *const envp[])
{
    COMPLETED(envp);
    NEED(real_fexecve);
    record_asked("", argv, completed);
    return real_fexecve(fd, argv, completed);
}

__attribute__((visibility("default"))) int execveat(int fd, const char *path, char *const argv[],
                                                    char *const envp[], int flags)
{
    COMPLETED(envp);
    NEED(real_execveat);
    record_asked("", argv, completed);
    return real_execveat(fd, path, argv, completed, flags);
}

__attribute__((visibility("default"))) int posix_spawn(pid_t *pid, const char *path,
                                                       const posix_spawn_file_actions_t *actions,
                                                       const posix_spawnattr_t *attributes, char *const argv[],
                                                       char *const envp[])
{
    COMPLETED(envp);
    if (!real_spawn)
        resolve();
    if (!real_spawn)
        return ENOSYS;
    record_asked(path, argv, completed);
    return real_spawn(pid, path, actions, attributes, argv, completed);
}

__attribute__((visibility("default"))) int posix_spawnp(pid_t *pid, const char *file,
                                                        const posix_spawn_file_actions_t *actions,
                                                        const posix_spawnattr_t *attributes, char *const argv[],
                                                        char *const envp[])
{
    COMPLETED(envp);
    if (!real_spawnp)
        resolve();
    if (!real_spawnp)
        return ENOSYS;
    record_asked(file, argv, completed);
    return real_spawnp(pid, file, actions, attributes, argv, completed);
}

/* The forms with a list of arguments collect it on the stack, as the C library does. */

#define COLLECT(first)                                                                                                \
    va_list list;                                                                                                     \
    size_t n = 1, i;                                                                                                  \
    va_start(list, first);                                                                                            \
    while (va_arg(list, char *))                                                                                      \
        n++;                                                                                                          \
    va_end(list);                                                                                                     \
    char *argv[n + 1];                                                                                                \
    va_start(list, first);                                                                                            \
    argv[0] = (char *)(first);                                                                                        \
    for (i = 1; i <= n; i++)                                                                                          \
        argv[i] = va_arg(list, char *)

__attribute__((visibility("default"))) int execl(const char *path, const char *first, ...)
{
    COLLECT(first);
    va_end(list);
    return execve(path, argv, environ);
}

__attribute__((visibility("default"))) int execlp(const char *file, const char *first, ...)
{
    COLLECT(first);
    va_end(list);
    return execvpe(file, argv, environ);
}

__attribute__((visibility("default"))) int execle(const char *path, const char *first, ...)
{
    char *const *envp;
    COLLECT(first);
    envp = va_arg(list, char *const *);
    va_end(list);
    return execve(path, argv, envp);
}
