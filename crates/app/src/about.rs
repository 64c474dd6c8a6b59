//! What is known of a file or a symbol: everything that names it, the newest first.

use crate::app::{App, ProjectSelector};
use crate::error::AppError;
use crate::search::SearchRequest;
use backstory_recall::{Boost, Hit};
use backstory_store::Store;

/// What to look for.
#[derive(Clone, Debug)]
pub struct AboutRequest {
    /// A path, the end of one, or the name of a symbol.
    pub target: String,
    /// Where to look.
    pub projects: ProjectSelector,
    /// How many at the most.
    pub limit: u32,
}

impl App {
    /// Returns what is known of a file or a symbol. A path that no memory names is tried without its first folders: memories name files
    /// from the root of the project.
    pub fn about(&self, store: &Store, request: &AboutRequest) -> Result<Vec<Hit>, AppError> {
        for path in endings(&request.target) {
            let of_file = SearchRequest { file: Some(path.to_owned()), ..search_for(String::new(), request) };
            let hits = self.search(store, &of_file)?.hits;
            if !hits.is_empty() {
                return Ok(hits);
            }
        }
        // A search also finds memories that are only near in meaning: what is known of a symbol must name it.
        let named = |hit: &Hit| hit.reasons.boosts.iter().any(|(boost, _)| *boost == Boost::Named);
        let says_it = |hit: &Hit| {
            let content = &hit.memory.content;
            [&content.title, &content.body].iter().any(|text| text.contains(request.target.trim()))
        };
        let mut hits = self.search(store, &search_for(request.target.clone(), request))?.hits;
        hits.retain(|hit| named(hit) || says_it(hit));
        Ok(hits)
    }
}

fn search_for(text: String, request: &AboutRequest) -> SearchRequest {
    let (projects, limit) = (request.projects.clone(), Some(request.limit));
    SearchRequest { text, projects, limit, ..SearchRequest::default() }
}

/// Returns a path, then the same without its first folder, and so on. Returns nothing for a target that is not a path.
fn endings(target: &str) -> Vec<&str> {
    let target = target.trim().trim_start_matches("./");
    if !target.contains(['/', '.', '\\']) {
        return Vec::new();
    }
    let whole = std::iter::once(target);
    whole.chain(target.match_indices(['/', '\\']).filter_map(|(at, _)| target.get(at + 1..))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_tried_from_its_root_to_its_name() {
        assert_eq!(
            endings("/home/ada/shop/src/a.rs"),
            [
                "/home/ada/shop/src/a.rs",
                "home/ada/shop/src/a.rs",
                "ada/shop/src/a.rs",
                "shop/src/a.rs",
                "src/a.rs",
                "a.rs"
            ]
        );
        assert_eq!(endings("./src/a.rs"), ["src/a.rs", "a.rs"]);
        assert!(endings("settle").is_empty());
    }
}
