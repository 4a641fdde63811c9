//! The shipped models: that they can be read, agree with each other, and say what they should.

use super::super::{Models, Origin, PACKS, Spelling, parse, print, shipped, shipped_for};
use crate::effect::{Effect, Outcome, Relation, Value};

#[test]
fn every_pack_can_be_read_and_none_repeats_another() {
    let mut models = Models::default();
    for (name, text) in PACKS {
        match parse(&format!("models/{name}.model"), text) {
            Ok(file) => match models.add(file) {
                Ok(replaced) => assert!(replaced.is_empty(), "{name} repeats {replaced:?}"),
                Err(errors) => panic!("{}", errors[0]),
            },
            Err(errors) => {
                let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
                panic!("{}", all.join("\n"))
            }
        }
    }
    assert_eq!(models.files.len(), PACKS.len());
}

#[test]
fn there_are_five_hundred_functions() {
    let models = shipped();
    assert!(models.functions.len() >= 500, "only {}", models.functions.len());
}

#[test]
fn the_kernel_is_left_out_of_other_programs() {
    let models = shipped_for(&|name| ["malloc", "free", "sort"].contains(&name));
    assert!(models.functions.contains_key("malloc") && !models.functions.contains_key("sort"));
    let models = shipped_for(&|name| ["kfree", "sort"].contains(&name));
    assert_eq!(models.functions.len(), 2);
    assert_eq!(models.functions["sort"], shipped().functions["sort"]);
}

/// What ends the life of a kind: its releaser, which the advice names, must be modelled so.
#[test]
fn each_kind_is_acquired_and_released() {
    let models = shipped();
    let effects = || models.functions.values().flat_map(|summary| &summary.outcomes);
    let used = |id| effects().any(|outcome| outcome.fresh.iter().any(|fresh| fresh.kind == id));
    let unused: Vec<_> =
        models.kinds.iter().filter(|entry| !used(entry.0)).map(|entry| &entry.1.name).collect();
    assert!(unused.is_empty(), "nothing acquires {unused:?}");
    for (id, kind) in models.kinds.iter() {
        let name = &kind.name;
        let releaser = kind.releaser.as_deref().unwrap_or_else(|| panic!("nothing releases {name}"));
        if releaser == "xmlFree" {
            continue; // A variable that holds a function; nothing can be said of its name.
        }
        let summary = models.functions.get(releaser).unwrap_or_else(|| panic!("{releaser} is not modelled"));
        let releases =
            summary.outcomes.iter().flat_map(|outcome| &outcome.effects).any(|effect| match effect {
                Effect::Release { kind, .. } => *kind == id,
                // An object with a reference count is handed back rather than released.
                Effect::Keep { .. } => true,
                _ => false,
            });
        assert!(releases, "{releaser} does not release {name}");
    }
}

/// A caller can only act rightly if the result tells whether it got something. Where one outcome acquires
/// and another does not, their results must differ, except for the functions that are known to be like that.
#[test]
fn results_tell_what_was_acquired() {
    let untold = [
        // A connection that failed to open may or may not have to be closed.
        "sqlite3_open",
        "sqlite3_open16",
        "sqlite3_open_v2",
        // Messages are optional.
        "sqlite3_exec",
        "sqlite3_get_table",
        "sqlite3_load_extension",
        // The out-parameter tells.
        "xmlDocDumpMemory",
        "xmlDocDumpMemoryEnc",
        "xmlDocDumpFormatMemory",
        "xmlDocDumpFormatMemoryEnc",
        "htmlDocDumpMemory",
        "htmlDocDumpMemoryFormat",
        "g_io_channel_read_line",
        "g_io_channel_shutdown",
        // So does the error.
        "g_key_file_get_integer",
        "g_key_file_get_boolean",
        "g_key_file_get_int64",
        "g_key_file_get_uint64",
        "g_key_file_get_double",
        "g_key_file_has_key",
        "g_key_file_remove_key",
        "g_match_info_next",
        "g_file_enumerator_next_file",
        "g_data_input_stream_read_line",
        "g_task_propagate_boolean",
        // An empty table has no buffers.
        "xmlBuildQName",
    ];
    let models = shipped();
    let mut names: Vec<&Box<str>> = models.functions.keys().collect();
    names.sort();
    for name in names {
        let outcomes = &models.functions[name].outcomes;
        for (index, left) in outcomes.iter().enumerate() {
            for right in &outcomes[..index] {
                let together = left.when == right.when && left.fresh.len() != right.fresh.len();
                if together && !untold.contains(&&**name) {
                    let address = models.origins[name].returns_address;
                    assert!(apart(left, right, address), "{name}: {:?} and {:?}", left.result, right.result);
                }
            }
        }
    }
}

fn apart(left: &Outcome, right: &Outcome, address: bool) -> bool {
    let (a, b) = (&left.result, &right.result);
    match (a, b) {
        (Value::Fresh { .. }, Value::Number(_)) | (Value::Number(_), Value::Fresh { .. }) => true,
        (Value::Number(a), Value::Number(b)) => a != b,
        (Value::Number(number), Value::Such { relation, number: limit })
        | (Value::Such { relation, number: limit }, Value::Number(number)) => match relation {
            // Of addresses the engines know that they are not null; of numbers they only know ranges.
            Relation::NotEqual => address && number == limit,
            Relation::Equal | Relation::UnsignedLess | Relation::UnsignedLessEqual => false,
            Relation::UnsignedGreater | Relation::UnsignedGreaterEqual => false,
            Relation::Less => number >= limit,
            Relation::LessEqual => number > limit,
            Relation::Greater => number <= limit,
            Relation::GreaterEqual => number < limit,
        },
        (Value::Such { relation: a, number: m }, Value::Such { relation: b, number: n }) => {
            let below = |relation: &Relation| matches!(relation, Relation::Less | Relation::LessEqual);
            let above = |relation: &Relation| matches!(relation, Relation::Greater | Relation::GreaterEqual);
            below(a) && above(b) && m <= n || above(a) && below(b) && n <= m
        }
        // Another object, or a text of the caller's, is told by comparing addresses.
        (Value::Fresh { .. }, Value::Entry { .. } | Value::Inside(_)) => true,
        (Value::Entry { .. } | Value::Inside(_), Value::Fresh { .. }) => true,
        (Value::Entry { .. }, Value::Number(_)) | (Value::Number(_), Value::Entry { .. }) => true,
        _ => false,
    }
}

fn check(models: &Models, name: &str, expected: &str) {
    let summary = models.functions.get(name).unwrap_or_else(|| panic!("{name} is not modelled"));
    let Origin { parameters, variadic, returns_address, .. } = &models.origins[name];
    let spelling = Spelling {
        kinds: &models.kinds,
        properties: None,
        parameters,
        variadic: *variadic,
        address: *returns_address,
        global: &|global| global.to_string(),
    };
    let text = print(name, summary, spelling);
    let (_, body) = text.trim_end().split_once('(').unwrap();
    let (_, body) = body.split_once(')').unwrap();
    let body = body.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(body, expected.split_whitespace().collect::<Vec<_>>().join(" "), "{name}");
}

#[test]
fn key_functions_do_what_they_should() {
    let models = shipped();
    let table = [
        ("malloc", "{ -> fresh heap -> null }"),
        ("calloc", "{ -> zeroed fresh heap -> null }"),
        ("free", "releases block"),
        (
            "realloc",
            "{ when size == 0 and old != 0: -> null, releases old, seldom
               when size != 0 or old == 0: -> fresh heap as new0, copies old to new0, releases old -> null }",
        ),
        (
            "reallocarray",
            "{ when count == 0 and old != 0 or size == 0 and old != 0: -> null, releases old, seldom
               when count != 0 and size != 0 or old == 0:
                 -> fresh heap as new0, copies old to new0, releases old -> null }",
        ),
        ("posix_memalign", "{ -> 0, *out = fresh heap -> > 0 }"),
        ("strdup", "{ -> fresh heap -> null }"),
        ("strchr", "{ -> inside text -> null }"),
        ("strcpy", "-> to, modifies to"),
        ("memcpy", "-> to, copies from to to"),
        ("strlen", "-> >= 0"),
        ("printf", ""),
        ("snprintf", "modifies buffer"),
        ("sscanf", "modifies ..."),
        ("strtol", "*end = inside text"),
        ("qsort", "modifies base, calls compare(inside base, inside base)"),
        (
            "bsearch",
            "{ -> inside base, calls compare(key, inside base) -> null, calls compare(key, inside base) }",
        ),
        ("fopen", "{ -> fresh file -> null }"),
        ("fclose", "releases stream as file, releases *stream:4 as fd"),
        ("fdopen", "{ -> fresh file as new0, *new0:4 = fd -> null }"),
        ("fileno", "-> *stream:4"),
        ("freopen", "{ -> stream -> null, releases stream as file }"),
        ("popen", "{ -> fresh pipe -> null }"),
        ("pclose", "releases stream as pipe"),
        ("open_memstream", "{ -> fresh file, *buffer = fresh heap, *size:8 = any -> null }"),
        (
            "getline",
            "{ when *line == null: -> >= 0, *line = fresh heap, *capacity:8 = > 0
                 -> -1, *line = fresh heap, *capacity:8 = > 0
               when *line != null: -> >= -1, modifies *line, *capacity:8 = > 0 }",
        ),
        ("asprintf", "{ -> > 0, *out = fresh heap -> -1, *out = any }"),
        ("open", "{ -> fresh fd -> -1 }"),
        ("close", "releases fd as fd"),
        ("dup3", "{ -> to -> -1 }"),
        ("fgetc", "{ -> >= 0 -> -1 }"),
        ("pipe", "{ -> 0, *ends:4 = fresh fd, ends.4:4 = fresh fd -> -1 }"),
        (
            "fcntl",
            "{ when command == 0 or command == 1030: -> fresh fd -> -1
               when command == 2 and fd < 0 or command == 3 and fd < 0: -> -1
               when command == 2 and fd >= 0: -> 0
               when command == 3 and fd >= 0: -> >= 0
               when command != 0 and command != 1030 and command != 2 and command != 3: -> any, modifies ... }",
        ),
        ("mmap", "{ -> fresh mapping -> -1 }"),
        ("munmap", "releases address as mapping"),
        ("opendir", "{ -> fresh dir -> null }"),
        ("readdir", "{ -> inside directory -> null }"),
        ("closedir", "releases directory as dir, releases *directory:4 as fd"),
        ("scandir", "{ -> > 0, *list = fresh heap as new0, new0.? = fresh heap -> 0, *list = null -> -1 }"),
        ("getaddrinfo", "{ -> 0, *out = fresh addrinfo -> < 0 }"),
        ("freeaddrinfo", "releases list as addrinfo"),
        ("regcomp", "{ -> 0, *regex = fresh regex -> > 0 }"),
        ("regfree", "releases *regex as regex"),
        (
            "realpath",
            "{ when buffer == 0: -> fresh heap -> null when buffer != 0: -> buffer, modifies buffer -> null }",
        ),
        ("putenv", "{ -> 0, keeps text -> -1 }"),
        ("getenv", "-> borrowed or null"),
        ("pthread_create", "{ -> 0, *thread:8 = any, keeps argument shared, calls start(argument) -> > 0 }"),
        ("tsearch", "{ -> borrowed, calls compare(key, != 0), keeps key -> null, calls compare(key, != 0) }"),
        ("exit", "noreturn"),
        ("longjmp", "jumps"),
        ("__assert_fail", "noreturn"),
        ("err", "noreturn"),
        ("error", "{ when status == 0: -> any }"),
        ("kmalloc", "{ -> fresh kmem -> null }"),
        ("devm_kzalloc", "-> borrowed or null"),
        ("g_malloc0", "{ when size == 0: -> null when size != 0: -> zeroed fresh glib }"),
        ("sqlite3_finalize", "releases statement as statement"),
        ("inflateInit_", "{ -> 0, stream.56 = fresh zstate -> < 0 }"),
        (
            "X509_NAME_oneline",
            "{ when buffer == 0: -> fresh ossl -> null when buffer != 0: -> buffer, modifies buffer -> null }",
        ),
        ("xmlGetProp", "{ -> fresh xmlmem -> null }"),
        ("curl_slist_append", "{ when list == 0: -> fresh slist -> null when list != 0: -> list }"),
    ];
    assert!(table.len() >= 40);
    for (name, expected) in table {
        check(&models, name, expected);
    }
}

#[test]
fn descriptors_are_numbers_also_where_another_file_declares_them() {
    let models = shipped();
    assert!(!models.origins["pipe2"].returns_address && !models.origins["epoll_create"].returns_address);
    assert!(models.origins["fopen64"].returns_address && models.origins["getenv"].returns_address);
}

#[test]
fn everything_the_fixtures_call_is_modelled() {
    let models = shipped();
    let called = "__errno_location __assert_fail malloc calloc realloc reallocarray aligned_alloc posix_memalign
        free exit _exit _Exit quick_exit abort atexit atoi strtol strtoul getenv rand qsort realpath mkstemp memcpy
        memmove memset memcmp memchr strlen strnlen strcpy strncpy strcat strncat strcmp strncmp strchr strrchr
        strstr strdup strndup strerror strtok_r isdigit isspace toupper fopen fdopen freopen tmpfile popen pclose
        open_memstream fmemopen fclose fflush feof ferror fgetc fgets fputc fputs fread fwrite fseek ftell fileno
        puts putchar perror printf fprintf snprintf vsnprintf asprintf vasprintf vfprintf getline getdelim open
        openat creat fcntl close read write lseek pipe dup dup2 isatty fork setsid waitpid execvp unlink getcwd
        sleep opendir fdopendir readdir closedir scandir alphasort socket socketpair connect bind listen accept
        shutdown setsockopt getaddrinfo freeaddrinfo gai_strerror setjmp longjmp pthread_create pthread_join
        pthread_detach pthread_attr_init pthread_attr_setdetachstate pthread_attr_destroy pthread_exit
        pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_unlock pthread_rwlock_rdlock
        pthread_rwlock_tryrdlock pthread_rwlock_wrlock pthread_rwlock_trywrlock pthread_rwlock_unlock
        pthread_spin_lock pthread_spin_trylock pthread_spin_unlock pthread_cond_wait pthread_cond_signal sem_wait
        sem_trywait sem_post";
    for name in called.split_whitespace() {
        assert!(models.functions.contains_key(name), "{name} is not modelled");
    }
}
