//! Errors of imports, exports and records as requests report them.

use super::{AppError, ErrorCode};
use backstory_exchange::{ExchangeError, RecordError};
use backstory_memory::{ContentError, Kind, UnknownKind};
use std::error::Error;

impl From<ExchangeError> for AppError {
    fn from(error: ExchangeError) -> AppError {
        match error {
            ExchangeError::Store(error) => error.into(),
            ExchangeError::Path { action, path, source } => AppError::of_path(action, &path, &source),
            ExchangeError::Unusable { reason, hint } => {
                AppError::new(ErrorCode::FileUnusable, reason).hint(hint)
            }
            ExchangeError::Json(error) => AppError::internal("cannot write JSON").because(&error),
            ExchangeError::Output { .. } | ExchangeError::Input(_) => with_causes(&error),
        }
    }
}

impl From<RecordError> for AppError {
    fn from(error: RecordError) -> AppError {
        match error {
            RecordError::Content(error) => error.into(),
            error => with_causes(&error),
        }
    }
}

impl From<ContentError> for AppError {
    fn from(error: ContentError) -> AppError {
        if let ContentError::Kind(unknown) = &error {
            return unknown_kind(unknown);
        }
        error.hint().into_iter().fold(with_causes(&error), AppError::hint)
    }
}

fn with_causes(error: &dyn Error) -> AppError {
    let failure = AppError::user(error.to_string());
    error.source().into_iter().fold(failure, AppError::because)
}

/// Says which kinds there are.
pub fn unknown_kind(error: &UnknownKind) -> AppError {
    let names: Vec<&str> = Kind::ALL.into_iter().map(Kind::as_str).collect();
    AppError::usage(error.to_string()).hint(format!("kinds are {}", names.join(", ")))
}
