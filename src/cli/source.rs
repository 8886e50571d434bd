//! Files or knowledge bases, opened for asking.

use std::path::{Path, PathBuf};

use super::args::{Reading, Where};
use super::exit::{Exit, Failure};
use super::print;
use super::progress::Line;
use crate::app::{App, AppError, Session};
use crate::config::Config;
use crate::ingest::{IngestReport, Upload};
use crate::note::Note;
use crate::sheet::ReadOptions;

impl Reading {
    pub fn options(&self) -> ReadOptions {
        self.over(ReadOptions::default())
    }

    /// These decisions over earlier ones.
    pub fn over(&self, mut earlier: ReadOptions) -> ReadOptions {
        for (label, kind) in &self.types {
            earlier.types.retain(|(known, _)| known != label);
            earlier.types.extend(kind.map(|kind| (label.clone(), kind)));
        }
        for (label, role) in &self.roles {
            earlier.roles.retain(|(known, _)| known != label);
            earlier.roles.push((label.clone(), *role));
        }
        // Header rows are rows of a table that stands: the later of the two decisions holds.
        let (header_rows, transposed) = match (self.header_rows, self.transposed) {
            (Some(rows), turned) => (Some(rows), turned),
            (None, Some(true)) => (None, Some(true)),
            (None, turned) => (earlier.header_rows, turned.or(earlier.transposed)),
        };
        ReadOptions {
            header_rows,
            transposed,
            sheets: (!self.sheets.is_empty()).then(|| self.sheets.clone()).or(earlier.sheets),
            keep_totals: self.keep_totals || earlier.keep_totals,
            types: earlier.types,
            roles: earlier.roles,
        }
    }
}

/// The files as uploads, named by their file names.
pub fn uploads(files: &[PathBuf], reading: &Reading) -> Vec<Upload> {
    files.iter().map(|path| Upload::file(path, reading.options())).collect()
}

/// The data folder: as asked, or the platform's.
pub fn data_folder(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(folder) = asked {
        return Ok(folder.to_owned());
    }
    directories::ProjectDirs::from("", "", "sheetwise")
        .map(|dirs| dirs.data_dir().to_owned())
        .ok_or_else(|| Failure::usage("this platform names no data folder; give one with --data DIR"))
}

/// Uploads of one reading: files of the same name are told apart by the folders they are in.
pub fn told_apart(files: &[PathBuf], reading: &Reading) -> Vec<Upload> {
    let mut uploads = uploads(files, reading);
    let names: Vec<String> = uploads.iter().map(|upload| upload.name.clone()).collect();
    for upload in &mut uploads {
        if names.iter().filter(|name| **name == upload.name).count() > 1 {
            upload.name = upload.path.display().to_string();
        }
    }
    uploads
}

/// Rows that can be asked about.
pub struct Opened {
    pub app: App,
    pub session: Session,
    /// Knowledge bases by their names; none for files.
    kbs: Vec<String>,
    /// Files that are not among them: every answer says so.
    pub notes: Vec<Note>,
}

impl Opened {
    /// Sees knowledge bases as they are now; files stay as they were read.
    pub async fn renew(&mut self) -> Result<(), AppError> {
        if !self.kbs.is_empty() {
            self.session = self.app.session(&self.kbs).await?;
        }
        Ok(())
    }
}

/// An application with the rows of `place` in scope; files that can't be read are named on standard error.
pub async fn open(place: &Where, files: &[PathBuf], config: Config) -> Result<Opened, Failure> {
    if place.kbs.is_empty() {
        return open_files(files, &place.reading, config).await;
    }
    if !files.is_empty() {
        return Err(Failure::usage(format!("give files or --kb, not both; {:?} is taken for a file", files[0])));
    }
    let app = App::open(&data_folder(place.data.as_deref())?, config).await?;
    let session = app.session(&place.kbs).await?;
    Ok(Opened { app, session, kbs: place.kbs.clone(), notes: Vec::new() })
}

async fn open_files(files: &[PathBuf], reading: &Reading, config: Config) -> Result<Opened, Failure> {
    if files.is_empty() {
        return Err(Failure::usage("name a file, or a knowledge base with --kb NAME"));
    }
    let line = Line::new(reading.quiet);
    let app = App::temporary(config).await?.watched(line.progress());
    let (session, report) = app.read(told_apart(files, reading)).await?;
    drop(line);
    if unreadable(&report) == Exit::Failed {
        return Err(Failure::from(NothingRead));
    }
    let errors = report.files.into_iter().filter_map(|file| file.error);
    let notes = errors.map(|error| Note::new("file_not_read", format!("not in this answer: {error}"))).collect();
    Ok(Opened { app, session, kbs: Vec::new(), notes })
}

/// Names the files that could not be read; `Failed` where none could.
pub fn unreadable(report: &IngestReport) -> Exit {
    for error in report.files.iter().filter_map(|file| file.error.as_deref()) {
        print::failure(error);
    }
    unreadable_exit(report)
}

#[derive(Debug, thiserror::Error)]
#[error("no file could be read, so there is nothing to ask")]
struct NothingRead;

/// `Failed` where no file could be read.
pub fn unreadable_exit(report: &IngestReport) -> Exit {
    if report.files.iter().all(|file| file.error.is_some()) { Exit::Failed } else { Exit::Answered }
}
