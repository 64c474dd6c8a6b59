//! The viewer's files, part of the binary: `index.html` is `/`, every other file is below `/assets/`.

/// Names files of `viewer/` and takes them in.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../viewer/", $name)))),*]
    };
}

/// Every file of the viewer, by its path in `viewer/`.
pub const FILES: &[(&str, &[u8])] = files![
    "api.js",
    "app.js",
    "components/chart.js",
    "components/dialog.js",
    "components/feed.js",
    "components/filters.js",
    "components/forgetting.js",
    "components/prose.js",
    "components/row.js",
    "components/score.js",
    "components/states.js",
    "components/tag.js",
    "components/toast.js",
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
    "pages/memory.js",
    "pages/project.js",
    "pages/projects.js",
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

/// Returns the file at a path: its type and what it holds.
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
}
