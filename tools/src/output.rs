//! Standard output, whose reader may have seen enough: `datagen stats FILE | head -1` is no failure.

use std::{
    fmt,
    io::{self, Write},
};

use anyhow::{Error, Result};

/// Writes a text and ends its line.
///
/// # Errors
/// If the output does not take it: its reader may be gone.
pub fn say(text: fmt::Arguments<'_>) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{text}")
}

/// What `main` returns: a tool whose reader is gone has nothing left to say, and has not failed.
///
/// # Errors
/// Any other failure.
pub fn quietly(outcome: Result<()>) -> Result<()> {
    match outcome {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        outcome => outcome,
    }
}

fn is_broken_pipe(error: &Error) -> bool {
    error.chain().any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_reader_that_has_seen_enough_is_no_failure_whatever_is_said_about_it() {
        let outcome = |kind: io::ErrorKind| {
            let written: io::Result<()> = Err(kind.into());
            quietly(written.context("the table"))
        };
        assert!(outcome(io::ErrorKind::BrokenPipe).is_ok());
        assert!(outcome(io::ErrorKind::NotFound).is_err());
    }
}
