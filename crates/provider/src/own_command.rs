//! Any program the user names: the prompt on its standard input, the answer on its standard output.

use crate::{Model, ModelAnswer, ModelError, ModelRequest, ProgramRunner};

/// A program of the user's own.
#[derive(Clone, Debug)]
pub struct OwnCommand {
    /// The program and its arguments. No shell reads them.
    pub command: Vec<String>,
    /// How it is run.
    pub runner: ProgramRunner,
}

impl Model for OwnCommand {
    fn answer(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let (program, arguments) =
            self.command.split_first().ok_or(ModelError::Unreachable("no command is set"))?;
        let mut command = self.runner.command(program)?;
        command.args(arguments);
        let printed = self.runner.run(&mut command, &request.prompt_with_instructions())?;
        let text = String::from_utf8(printed).map_err(|_| ModelError::Unreadable)?;
        Ok(ModelAnswer { text, ..ModelAnswer::default() })
    }
}
