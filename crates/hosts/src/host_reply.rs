//! What a hook replies. How each host wants its replies stands with the host.

/// What a hook replies to its host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostReply<'a> {
    /// The context for the agent.
    pub context: Option<&'a str>,
    /// A message that only the user reads.
    pub to_user: Option<&'a str>,
}
