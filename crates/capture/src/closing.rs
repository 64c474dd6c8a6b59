//! Stub until the real one lands.
/// x
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// x
    pub claim: Option<String>,
    /// x
    pub next_steps: Vec<String>,
    /// x
    pub questions: Vec<String>,
    /// x
    pub learned: Vec<String>,
    /// x
    pub answer: Option<String>,
}
/// x
pub fn closing(message: &str) -> Closing {
    Closing {
        claim: Some(backstory_memory::title_from(message)).filter(|t| !t.is_empty()),
        answer: Some(message.to_owned()),
        ..Closing::default()
    }
}
/// x
pub fn title_of_commit(message: &str) -> Option<String> {
    Some(backstory_memory::title_from(message))
}
