//! Opening the file, and what is done when it is not as it should be.
//!
//! A file that is no database of ours, of another schema, or damaged is set aside under another name, with a notice,
//! and a new one takes its place; triage marks are carried over where they can still be read, because people made them.
//! Everything else in the file can be made again.
//!
//! Every process that uses the file holds a shared lock on `store.lock` beside it, and only who gets an exclusive one
//! may set the file aside: SQLite keeps a journal under the name of the file, which must not be pulled away from another
//! process. Whoever does not get the lock goes without the store.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::marks::Mark;
use crate::schema::{APPLICATION, TABLES, VERSION};
use crate::{Pending, Store, marks};

/// The name of the file in its directory.
pub const FILE: &str = "store.db";

/// How long a write waits for another process.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no store.
#[derive(Debug)]
pub struct Unusable(pub String);

/// How a file that is to be opened turned out.
enum Opened {
    Usable(Connection),
    /// It is not as it should be, for this reason.
    Wrong(String),
}

impl Store {
    /// Opens the store in a directory, or makes one. Gives what the user should know beside: that an older file was set
    /// aside, and why.
    ///
    /// # Errors
    ///
    /// When the directory cannot be written, or another process uses a file that should be set aside.
    pub fn open(directory: &Path) -> Result<(Store, Vec<String>), Unusable> {
        fs::create_dir_all(directory).map_err(|error| unusable(directory, &error))?;
        let lock = shared_lock(directory)?;
        let path = directory.join(FILE);
        match open(&path) {
            Ok(Opened::Usable(connection)) => Ok((Store::around(connection, path, lock), Vec::new())),
            Ok(Opened::Wrong(why)) => {
                drop(lock);
                replace(directory, &path, &why)
            }
            Err(error) => Err(Unusable(format!("cannot open `{}`: {error}", path.display()))),
        }
    }

    /// Opens a store that exists, to look at it and to set marks. Nothing is set aside.
    ///
    /// # Errors
    ///
    /// When there is none, or it is not as it should be.
    pub fn open_existing(directory: &Path) -> Result<Store, Unusable> {
        let path = directory.join(FILE);
        if !path.is_file() {
            return Err(Unusable(format!("there is no store in `{}`", directory.display())));
        }
        let lock = shared_lock(directory)?;
        match open(&path) {
            Ok(Opened::Usable(connection)) => Ok(Store::around(connection, path, lock)),
            Ok(Opened::Wrong(why)) => Err(Unusable(format!("`{}` cannot be used: {why}", path.display()))),
            Err(error) => Err(Unusable(format!("cannot open `{}`: {error}", path.display()))),
        }
    }

    fn around(connection: Connection, path: PathBuf, lock: File) -> Store {
        Store {
            connection: Mutex::new(connection),
            pending: Mutex::new(Pending::default()),
            path,
            broken: Mutex::new(None),
            writable: AtomicBool::new(true),
            run: AtomicI64::new(0),
            _lock: lock,
        }
    }
}

fn unusable(directory: &Path, error: &io::Error) -> Unusable {
    Unusable(format!("cannot write to `{}`: {error}", directory.display()))
}

fn lock_file(directory: &Path) -> Result<File, Unusable> {
    let path = directory.join("store.lock");
    // Whoever opens a FIFO to write waits for somebody who reads.
    if path.symlink_metadata().is_ok_and(|data| !data.is_file()) {
        return Err(Unusable(format!("`{}` is not a regular file", path.display())));
    }
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    file.map_err(|error| unusable(directory, &error))
}

fn shared_lock(directory: &Path) -> Result<File, Unusable> {
    let file = lock_file(directory)?;
    match file.try_lock_shared() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Unusable("another process is replacing the store".to_owned())),
        Err(TryLockError::Error(error)) => Err(unusable(directory, &error)),
    }
}

/// Opens a file, which may be new. An error is the environment's; a file that is wrong is told apart.
fn open(path: &Path) -> rusqlite::Result<Opened> {
    match prepare(path) {
        Ok(opened) => Ok(opened),
        Err(error) => match damage(&error) {
            Some(why) => Ok(Opened::Wrong(why)),
            None => Err(error),
        },
    }
}

fn prepare(path: &Path) -> rusqlite::Result<Opened> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    // The file may have come with a foreign project: what its schema says to run is not run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.busy_timeout(PATIENCE)?;
    // Results are a thousand bytes and more, and a run writes thousands: larger pages are fewer writes. An existing file
    // keeps the pages it has.
    connection.pragma_update(None, "page_size", 16384)?;
    // What one run writes stays in memory until it is committed, rather than being written twice.
    connection.pragma_update(None, "cache_size", -65536)?;
    // Readers and one writer at a time, of any number of processes. Where the file system cannot do that, the usual
    // journal is as safe.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    // Nothing is lost by a killed process; by a power failure the last transactions may be, and all before are whole.
    connection.pragma_update(None, "synchronous", "normal")?;
    // Checksums of ours are over what is read; cells of damaged pages must not lead SQLite astray before.
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.set_prepared_statement_cache_capacity(32);
    let is_new = connection.query_row("SELECT count(*) = 0 FROM sqlite_master", [], |row| row.get(0))?;
    if is_new {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // Another process may have made the tables while this one waited.
        if transaction.query_row("SELECT count(*) = 0 FROM sqlite_master", [], |row| row.get(0))? {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        transaction.commit()?;
    }
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if application != APPLICATION {
        return Ok(Opened::Wrong("it is a database of something else".to_owned()));
    }
    if version != VERSION {
        let age = if version < VERSION { "an older" } else { "a newer" };
        return Ok(Opened::Wrong(format!("it was written by {age} version of watertight")));
    }
    // Every table must answer: a file that was cut off says so here and not in the middle of a run.
    for table in ["run", "function", "effect", "call", "finding", "mark", "known"] {
        connection
            .query_row(&format!("SELECT count(*) FROM (SELECT * FROM {table} LIMIT 1)"), [], |_| Ok(()))?;
    }
    Ok(Opened::Usable(connection))
}

/// Why an error means that the file is damaged; nothing if it is the environment's.
pub(crate) fn damage(error: &rusqlite::Error) -> Option<String> {
    match error {
        rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
            ErrorCode::DatabaseCorrupt => Some("it is damaged".to_owned()),
            ErrorCode::NotADatabase => Some("it is not a database".to_owned()),
            // A table or column that is not there, in a file that says it is of our version.
            ErrorCode::Unknown => {
                Some(format!("it is damaged ({})", message.as_deref().unwrap_or("no reason given")))
            }
            _ => None,
        },
        // What stands in a column is not what we wrote there.
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..)
        | rusqlite::Error::SqlInputError { .. } => Some(format!("it is damaged ({error})")),
        _ => None,
    }
}

/// Sets a file aside and makes a new one.
fn replace(directory: &Path, path: &Path, why: &str) -> Result<(Store, Vec<String>), Unusable> {
    let lock = lock_file(directory)?;
    if lock.try_lock().is_err() {
        return Err(Unusable(format!(
            "`{}` cannot be used ({why}), and another process has it open",
            path.display()
        )));
    }
    // Whoever had the lock before may have replaced it already.
    if let Ok(Opened::Usable(connection)) = open(path) {
        drop(connection);
    } else {
        let marks = old_marks(path);
        let aside = set_aside(path).map_err(|error| unusable(directory, &error))?;
        let notice =
            format!("`{}` cannot be used: {why}; it was set aside as `{}`", path.display(), aside.display());
        let Ok(Opened::Usable(connection)) = open(path) else {
            return Err(Unusable(format!("cannot make `{}`", path.display())));
        };
        let mut notices = vec![notice];
        if !marks.is_empty() {
            let kept = marks.iter().filter(|mark| marks::set(&connection, mark).is_ok()).count();
            notices.push(format!("{kept} triage marks were carried over from it"));
        }
        drop(connection);
        drop(lock);
        return Store::open(directory).map(|(store, more)| {
            notices.extend(more);
            (store, notices)
        });
    }
    drop(lock);
    Store::open(directory)
}

/// The marks of a file that is not as it should be, as far as they can be read.
fn old_marks(path: &Path) -> Vec<Mark> {
    let Ok(connection) = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE) else {
        return Vec::new();
    };
    marks::all(&connection).unwrap_or_default()
}

/// Gives a file and its journal another name.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let name = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let free = (1..1000).map(|number| name(&format!(".aside-{number}"))).find(|path| !path.exists());
    let aside = free.unwrap_or_else(|| name(".aside-1"));
    fs::rename(path, &aside)?;
    for suffix in ["-wal", "-shm", "-journal"] {
        let mut to = aside.as_os_str().to_owned();
        to.push(suffix);
        match fs::rename(name(suffix), to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(aside)
}
