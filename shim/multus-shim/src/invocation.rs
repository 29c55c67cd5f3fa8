//! One call of the runtime, checked: environment, stdin and settings.

use crate::command::Command;
use crate::document::Document;
use crate::environment::{Environment, is_identifier};
use crate::settings::{Settings, invalid_configuration};
use crate::streams;
use crate::versions;
use multus_common::clock::Deadline;
use multus_common::cni_error::{CniError, code};
use serde_json::Value;
use std::time::Duration;

pub struct Invocation {
    pub command: Command,
    pub environment: Environment,
    /// Exact bytes: the daemon and the plugins behind it get nothing else.
    pub stdin: Vec<u8>,
    /// The caller's.
    pub cni_version: &'static str,
    pub settings: Settings,
    /// CLOCK_MONOTONIC at the shim's start: the generation of what an ADD makes.
    pub start_ns: u64,
    /// When the whole command is over.
    pub deadline: Deadline,
}

/// A call that cannot be carried out, and the version to say so in.
pub struct Unusable {
    pub error: CniError,
    pub cni_version: &'static str,
}

impl Invocation {
    /// Checks in the order of the reference skeleton: variables that are missing, stdin, network name, formats, version.
    ///
    /// # Errors
    /// Codes 1, 4, 5, 6 and 7. A DEL is not refused for a key that only the shim uses: the default stands in.
    pub fn read(
        command: Command,
        environment: Environment,
        start_ns: u64,
    ) -> Result<Self, Unusable> {
        environment
            .require_variables(command)
            .map_err(Unusable::early)?;
        let stdin = read_stdin(command, start_ns).map_err(Unusable::early)?;
        let document = Document::parse(&stdin).map_err(Unusable::early)?;
        let cni_version = supported_version(&document);
        let unusable = |error| Unusable {
            error,
            cni_version: cni_version.as_ref().copied().unwrap_or(versions::CURRENT),
        };
        require_name(&document.name).map_err(unusable)?;
        environment.require_formats(command).map_err(unusable)?;
        let settings = read_settings(command, &document).map_err(unusable)?;
        let cni_version = cni_version.map_err(Unusable::early)?;
        require_command(command, cni_version).map_err(|error| Unusable { error, cni_version })?;
        Ok(Self {
            deadline: Deadline::at(start_ns, time_limit(command, &settings)),
            command,
            environment,
            stdin,
            cni_version,
            settings,
            start_ns,
        })
    }

    /// How long the whole command may take.
    pub fn time_limit(&self) -> Duration {
        time_limit(self.command, &self.settings)
    }

    /// Container and interface as a person reads them in a log; empty for a command that has none.
    pub fn sandbox(&self) -> String {
        describe_sandbox(&self.environment)
    }
}

impl Unusable {
    fn early(error: CniError) -> Self {
        Self {
            error,
            cni_version: versions::CURRENT,
        }
    }
}

pub fn describe_sandbox(environment: &Environment) -> String {
    match (environment.container_id(), environment.interface_name()) {
        ("", "") => String::new(),
        (container, interface) => format!("{container}/{interface}"),
    }
}

/// Nothing is known yet of the caller's own limits.
fn read_stdin(command: Command, start_ns: u64) -> Result<Vec<u8>, CniError> {
    let limit = time_limit(command, &Settings::default());
    streams::read_stdin(limit, Deadline::at(start_ns, limit))
}

fn time_limit(command: Command, settings: &Settings) -> Duration {
    match command {
        Command::Add | Command::Check | Command::CollectGarbage => settings.add_timeout,
        Command::Delete => settings.del_timeout,
        Command::Status => settings.status_timeout,
    }
}

fn supported_version(document: &Document) -> Result<&'static str, CniError> {
    match &document.cni_version {
        Value::Null => Ok(versions::UNSTATED),
        Value::String(version) if version.is_empty() => Ok(versions::UNSTATED),
        Value::String(version) => versions::require_supported(version),
        _ => Err(CniError::new(
            code::DECODING_FAILURE,
            "error unmarshall network config: cniVersion must be a string",
        )),
    }
}

fn require_name(name: &Value) -> Result<(), CniError> {
    match name {
        Value::Null => Err(CniError::new(
            code::INVALID_CONFIGURATION,
            "missing network name",
        )),
        Value::String(name) if name.is_empty() => Err(CniError::new(
            code::INVALID_CONFIGURATION,
            "missing network name",
        )),
        Value::String(name) if is_identifier(name) => Ok(()),
        Value::String(name) => {
            let text = "invalid characters found in network name";
            Err(CniError::new(code::INVALID_CONFIGURATION, text).with_details(name.as_str()))
        }
        _ => Err(CniError::new(
            code::DECODING_FAILURE,
            "error unmarshall network config: name must be a string",
        )),
    }
}

fn read_settings(command: Command, document: &Document) -> Result<Settings, CniError> {
    let (settings, problems) = Settings::read(document);
    if problems.is_empty() {
        return Ok(settings);
    }
    if command != Command::Delete {
        return Err(invalid_configuration(&problems));
    }
    for problem in &problems {
        streams::log(&format!("DEL goes on with the default: {}", problem.text()));
    }
    Ok(settings)
}

fn require_command(command: Command, version: &str) -> Result<(), CniError> {
    if versions::is_at_least(version, command.since()) {
        return Ok(());
    }
    let text = format!("config version does not allow {}", command.word());
    Err(CniError::new(code::INCOMPATIBLE_VERSION, text))
}
