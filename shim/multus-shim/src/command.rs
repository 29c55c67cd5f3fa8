//! The commands that go to the daemon, and what the specification asks for each.

/// A CNI verb with a daemon behind it; VERSION has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Add,
    Delete,
    Check,
    CollectGarbage,
    Status,
}

impl Command {
    /// The value of CNI_COMMAND.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "ADD" => Some(Self::Add),
            "DEL" => Some(Self::Delete),
            "CHECK" => Some(Self::Check),
            "GC" => Some(Self::CollectGarbage),
            "STATUS" => Some(Self::Status),
            _ => None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Add => "ADD",
            Self::Delete => "DEL",
            Self::Check => "CHECK",
            Self::CollectGarbage => "GC",
            Self::Status => "STATUS",
        }
    }

    /// Variables that must not be empty; SPEC.md "Parameters", CNI_PATH as the reference skeleton asks for it.
    pub fn required_variables(self) -> &'static [&'static str] {
        match self {
            Self::Add | Self::Check => &["CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_PATH"],
            Self::Delete => &["CNI_CONTAINERID", "CNI_IFNAME", "CNI_PATH"],
            Self::CollectGarbage | Self::Status => &["CNI_PATH"],
        }
    }

    /// Names one container's one interface.
    pub fn is_of_sandbox(self) -> bool {
        matches!(self, Self::Add | Self::Delete | Self::Check)
    }

    /// The first version of the specification that has it.
    pub fn since(self) -> &'static str {
        match self {
            Self::Add | Self::Delete => "0.1.0",
            Self::Check => "0.4.0",
            Self::CollectGarbage | Self::Status => "1.1.0",
        }
    }

    /// Doing it twice is doing it once, so a request whose fate is unknown may be sent again.
    pub fn is_idempotent(self) -> bool {
        self != Self::Add
    }
}
