//! The file that the program writes its trace to.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Failure;

#[derive(Debug)]
pub struct Output {
    /// As the user writes it.
    path: PathBuf,
    /// The program may change its folder before it opens the file.
    absolute: PathBuf,
    /// The file before the program has started.
    before: Option<Stamp>,
}

/// Changes when the file is written.
type Stamp = (u64, Option<SystemTime>);

impl Output {
    /// Chooses a name after the program unless there is one, and makes sure that the file can be written.
    pub fn choose(named: Option<&Path>, program: &Path) -> Result<Output, Failure> {
        let path = match named {
            Some(path) => writable(path).map(|()| path.to_owned()),
            None => new_file(program),
        };
        let path = path.map_err(|(path, error)| Failure::Output { path: Some(path), error })?;
        let absolute = std::path::absolute(&path)?;
        Ok(Output { before: stamp(&absolute), path, absolute })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn absolute(&self) -> &Path {
        &self.absolute
    }

    /// Where the program's output goes if the terminal isn't free.
    pub fn log(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".log");
        name.into()
    }

    /// Whether the program has begun to write.
    pub fn has_changed(&self) -> bool {
        stamp(&self.absolute).is_some_and(|now| now.0 > 0 && Some(now) != self.before)
    }

    /// Removes the file if nothing was ever written to it.
    pub fn discard_if_empty(&self) {
        if stamp(&self.absolute).is_some_and(|(bytes, _)| bytes == 0) {
            // An empty file that stays does no harm.
            let _ = fs::remove_file(&self.absolute);
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

type NotWritable = (PathBuf, io::Error);

fn writable(path: &Path) -> Result<(), NotWritable> {
    let failed = |error| (path.to_owned(), error);
    // Opening a pipe would wait for its reader.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) || path.as_os_str() == "-" {
        return Err(failed(io::Error::other("it isn't a regular file")));
    }
    OpenOptions::new().append(true).create(true).open(path).map(drop).map_err(failed)
}

/// Creates `program.ctf` in the current folder, or `program.2.ctf` if that exists.
fn new_file(program: &Path) -> Result<PathBuf, NotWritable> {
    let stem = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let stem = if stem.is_empty() { "trace".to_owned() } else { stem };
    let mut n = 1u32;
    loop {
        let path = PathBuf::from(if n == 1 { format!("{stem}.ctf") } else { format!("{stem}.{n}.ctf") });
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && n < u32::MAX => n += 1,
            Err(error) => return Err((path, error)),
        }
    }
}
