//! The built program against a daemon that a test controls: real processes, sockets, signals and directories.

mod command_line;
mod configuration;
mod delete;
mod footprint;
mod hostile;
mod replies;
mod sending_again;
mod signals;
mod spool;
mod spool_refused;
mod status;
mod strict;
mod support;
mod waiting;
mod wire;
