//! What every encoder offers, so that another model can take the place of the one built in.
//!
//! Not here: choosing or loading a model; the binary does that from its configuration.

use crate::{DIMENSION, Vector};

/// Turns text into vectors.
///
/// Vectors of different models must never be compared: store [`Encoder::model_name`] with them and embed
/// again when it changes.
pub trait Encoder: Send + Sync {
    /// Names the model, its quantisation included, as stored beside its vectors.
    fn model_name(&self) -> &'static str;

    /// Returns how many numbers a vector has.
    ///
    /// Fixed, because rows and kernels are: a model with more must be cut and normalised by its encoder.
    fn dimension(&self) -> usize {
        DIMENSION
    }

    /// Encodes a text to be found: one vector, or one for each overlapping chunk when it is long.
    ///
    /// The best chunk counts when the text is compared. A text without any token has no vector.
    fn encode(&self, text: &str) -> Vec<Vector>;

    /// Encodes a question to find with: always one vector, of the beginning when it is long.
    fn encode_query(&self, text: &str) -> Option<Vector>;
}
