//! The viewer's files, embedded in the binary: `index.html` is served at `/`, all others below `/assets/`.

/// Embeds files of `viewer/`: each path becomes a pair of the path and the file's bytes.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../viewer/", $name)))),*]
    };
}

/// Every file of the viewer: its path in `viewer/`, and its bytes.
pub const FILES: &[(&str, &[u8])] = files![
    "api.js",
    "app.js",
    "components/chart.js",
    "components/dialog.js",
    "components/diff.js",
    "components/feed.js",
    "components/filters.js",
    "components/forgetting.js",
    "components/heatmap.js",
    "components/prose.js",
    "components/relation_graph.js",
    "components/row.js",
    "components/saw.js",
    "components/score.js",
    "components/selection.js",
    "components/share_card.js",
    "components/states.js",
    "components/tag.js",
    "components/toast.js",
    "components/treemap.js",
    "components/waterfall.js",
    "css/base.css",
    "css/components.css",
    "css/pages.css",
    "css/shell.css",
    "dom.js",
    "icon.svg",
    "index.html",
    "keys.js",
    "live.js",
    "pages/health.js",
    "pages/injection.js",
    "pages/injections.js",
    "pages/map.js",
    "pages/memory.js",
    "pages/overview.js",
    "pages/preview.js",
    "pages/project.js",
    "pages/projects.js",
    "pages/review.js",
    "pages/rules.js",
    "pages/search.js",
    "pages/session.js",
    "pages/sessions.js",
    "pages/timeline.js",
    "router.js",
    "shell.js",
    "state.js",
    "theme.js",
    "times.js",
    "words.js",
];

/// Returns the content type and the bytes of the file at a URL path.
pub(crate) fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    let wanted = match path {
        "/" => "index.html",
        path => path.strip_prefix("/assets/").filter(|name| *name != "index.html")?,
    };
    let (name, bytes) = FILES.iter().find(|(name, _)| *name == wanted)?;
    Some((content_type(name), bytes))
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_memory::Kind;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_file_of_the_viewer_is_served() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer");
        let mut dirs = vec![root.clone()];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    dirs.push(path);
                    continue;
                }
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
                assert!(FILES.iter().any(|(known, _)| *known == name), "`{name}` is not in the list");
                assert_ne!(content_type(name), "application/octet-stream", "`{name}` has no type");
            }
        }
    }

    #[test]
    fn the_viewer_lists_every_kind() {
        let (_, words) = FILES.iter().find(|(name, _)| *name == "words.js").unwrap();
        let kinds = format!("export const KINDS = {:?};", Kind::ALL.map(Kind::as_str));
        assert!(std::str::from_utf8(words).unwrap().contains(&kinds), "{kinds}");
    }

    /// Returns the modules a file imports, by their paths in `viewer/`.
    fn imports(name: &str) -> Vec<String> {
        let (_, bytes) = FILES.iter().find(|(known, _)| *known == name).expect("a file of the viewer");
        let folder = Path::new(name).parent().unwrap();
        let imported = |line: &&'static str| line.starts_with("import ");
        let lines = std::str::from_utf8(bytes).unwrap().lines().filter(imported);
        let named = |line: &'static str| line.split('"').nth(1).expect("a module in quotes");
        // Folders are one level deep, so `../` always leads to `viewer/` itself.
        let resolved = |module: &str| match module.strip_prefix("../") {
            Some(above) => above.to_owned(),
            None => folder.join(module.trim_start_matches("./")).to_str().unwrap().to_owned(),
        };
        lines.map(named).map(resolved).collect()
    }

    #[test]
    fn everything_the_first_page_needs_is_preloaded() {
        let (_, index) = FILES.iter().find(|(name, _)| *name == "index.html").unwrap();
        let index = std::str::from_utf8(index).unwrap();
        let mut needed = vec!["app.js".to_owned(), "pages/overview.js".to_owned()];
        // The list grows while we walk it: what an import imports is needed too.
        let mut at = 0;
        while let Some(name) = needed.get(at).cloned() {
            let preload = format!("<link rel=\"modulepreload\" href=\"/assets/{name}\">");
            assert!(index.contains(&preload), "`{name}` is asked for only when another file was read");
            let more: Vec<String> =
                imports(&name).into_iter().filter(|more| !needed.contains(more)).collect();
            needed.extend(more);
            at += 1;
        }
        assert!(needed.len() > 10, "{needed:?}");
    }
}
