//! What shim and host share.
