//! `import --all` and `import --from`: what is found on this machine. Hosts' records come first: they tell which folders are projects.

use super::learnt::Learnt;
use super::{ImportArgs, embed, preview, tidy_up};
use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::times;
use backstory_exchange::{
    ForeignDatabases, ImportOptions, ImportSource, ProjectFilter, SearchPaths, SourceInstance,
    import_memories, import_transcripts,
};
use backstory_hosts::{Host, HostPaths, HostTranscript};
use backstory_memory::{ProjectRef, Timestamp};
use backstory_provider::is_our_prompt;
use backstory_store::Store;
use std::path::{Path, PathBuf};

/// What is to be taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Whatever is found.
    Everything,
    /// What one host recorded: where it keeps it, or in this file or folder.
    Records(Host, Option<PathBuf>),
    /// What one source holds: where it is found, or in this file or folder.
    Source(ImportSource, Option<PathBuf>),
}

impl Wanted {
    /// Understands the name of a source.
    pub(super) fn from(name: &str, path: Option<&str>) -> Result<Wanted, Failure> {
        let path = path.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.into()));
        let wanted = match (name.parse::<ImportSource>(), name.parse::<Host>()) {
            (Ok(source), _) => Wanted::Source(source, path.clone()),
            (_, Ok(host)) => Wanted::Records(host, path.clone()),
            _ => {
                return Err(Failure::usage(format!("`{name}` is nothing that can be imported"))
                    .hint("`backstory import --help` lists the sources"));
            }
        };
        match path.filter(|path| !path.exists()) {
            None => Ok(wanted),
            Some(path) => Err(Failure::user(format!("there is no `{}`", path.display()))
                .hint(format!("`backstory import --from {name}` looks where it usually is"))),
        }
    }

    /// Returns the records that are wanted, each host's by itself.
    pub(super) fn records(&self, places: &HostPaths) -> Vec<(Host, Vec<HostTranscript>)> {
        let kept = |host: Host, places: &HostPaths| (host, host.transcripts(places, &ForeignDatabases));
        match self {
            Wanted::Everything => Host::ALL.into_iter().map(|host| kept(host, places)).collect(),
            Wanted::Records(host, None) => vec![kept(*host, places)],
            Wanted::Records(host, Some(path)) if path.is_dir() => {
                vec![kept(*host, &places.with_directory(*host, path))]
            }
            Wanted::Records(host, Some(path)) => {
                vec![(*host, HostTranscript::from_file(*host, path).into_iter().collect())]
            }
            Wanted::Source(..) => Vec::new(),
        }
    }

    /// Returns what else is wanted.
    pub(super) fn finds(&self, search: &SearchPaths) -> Vec<SourceInstance> {
        match self {
            Wanted::Everything => {
                ImportSource::ALL.into_iter().flat_map(|source| source.locate(search)).collect()
            }
            Wanted::Source(source, None) => source.locate(search),
            Wanted::Source(
                source @ (ImportSource::Git | ImportSource::Markdown | ImportSource::OpenMem),
                Some(path),
            ) if path.is_dir() => {
                source.locate(&SearchPaths { projects: vec![path.clone()], ..SearchPaths::default() })
            }
            Wanted::Source(source, Some(path)) => source.at(path).into_iter().collect(),
            Wanted::Records(..) => Vec::new(),
        }
    }
}

/// Takes in what is wanted, or shows it.
pub(super) fn run(wanted: &Wanted, args: &ImportArgs, app: &App) -> Result<Exit, Failure> {
    if !app.config.capture.enabled {
        return Err(Failure::user("capture is off in your configuration: nothing is taken in")
            .hint("`capture.enabled = true` turns it on; a file of memories can be imported all the same"));
    }
    let since = args.since.as_deref().map(|text| times::typed(text, app.now)).transpose()?;
    if args.dry_run {
        return preview::run(wanted, since, args, app);
    }
    let mut store = app.store()?;
    let only = only(&store, args.project.as_deref(), app)?;
    let learnt = take_in(&mut store, wanted, since, only, app)?;
    if args.json {
        app.ui.json(&learnt.shape(&store)?)?;
    } else {
        learnt.say(&store, app)?;
    }
    embed(&mut store, args, app)?;
    Ok(Exit::Done)
}

/// Takes in what is wanted.
pub(crate) fn take_in(
    store: &mut Store,
    wanted: &Wanted,
    since: Option<Timestamp>,
    only: Option<ProjectFilter>,
    app: &App,
) -> Result<Learnt, Failure> {
    let places = app.places()?;
    let redactor = app.redactor();
    let user_home = app.environment.user_home();
    let leaves_out = |folder: &Path| app.config.capture.leaves_out(folder, user_home.as_deref());
    let leaves_out_name = |name: &str| app.config.capture.leaves_out_name(name);
    let options = ImportOptions {
        redactor: &redactor,
        most_event_bytes: app.config.capture.max_event_bytes as usize,
        now: app.now,
        since,
        only,
        leaves_out: &leaves_out,
        leaves_out_name: &leaves_out_name,
        is_our_prompt,
    };
    let records = wanted.records(&places);
    let all = records.iter().flat_map(|(_, records)| records);
    let mut progress = Progress::of_bytes(all.map(|record| record.bytes).sum());
    let mut learnt = Learnt::of_bytes(progress.total());
    // All hosts at once: what is said later puts right what was said before, whichever host heard it.
    let records: Vec<HostTranscript> = records.into_iter().flat_map(|(_, records)| records).collect();
    learnt.records(import_transcripts(store, records, &options, &mut |bytes| progress.at(bytes))?);
    let search = whereabouts(store, places, app)?;
    for instance in wanted.finds(&search) {
        learnt.find(instance.source, import_memories(store, &instance, &options)?, &instance.path);
    }
    tidy_up(store, app);
    learnt.seconds = progress.finish().as_secs_f64();
    Ok(learnt)
}

/// Returns how many sessions hosts have recorded on this machine, and how long their records are.
pub(crate) fn found(app: &App) -> Result<(u64, u64), Failure> {
    let records = Wanted::Everything.records(&app.places()?);
    let all = records.iter().flat_map(|(_, records)| records);
    Ok(all.fold((0, 0), |(count, bytes), record| (count + 1, bytes + record.bytes)))
}

/// Returns where to look for what hosts did not record: in every project's folder, and here.
fn whereabouts(store: &Store, places: HostPaths, app: &App) -> Result<SearchPaths, Failure> {
    let mut projects = vec![PathBuf::from(app.project_ref().root)];
    for summary in store.projects()? {
        projects.extend(summary.project.roots.iter().map(PathBuf::from));
    }
    Ok(app.whereabouts(places, projects))
}

impl App {
    /// Returns where to look, in these folders of projects among others. The user's home is no project.
    pub(super) fn whereabouts(&self, places: HostPaths, mut projects: Vec<PathBuf>) -> SearchPaths {
        projects.retain(|folder| *folder != places.home && folder.is_dir());
        projects.sort();
        projects.dedup();
        let named = self.environment.pairs().into_iter();
        let named = named.map(|(name, value)| (name, PathBuf::from(value)));
        SearchPaths { places, named: named.filter(|(_, path)| path.is_absolute()).collect(), projects }
    }
}

/// Returns the one project that is wanted, if it is one: a known one, or the one of a folder.
pub(super) fn only(store: &Store, wanted: Option<&str>, app: &App) -> Result<Option<ProjectFilter>, Failure> {
    let Some(wanted) = wanted else { return Ok(None) };
    if Path::new(wanted).is_dir() {
        let ProjectRef { name, keys, .. } = app.project_ref_of(Path::new(wanted));
        return Ok(Some(ProjectFilter { name, keys }));
    }
    let id = app.project_called(store, wanted)?;
    let project = store.project(id)?.ok_or_else(|| Failure::internal("a project is gone"))?;
    Ok(Some(ProjectFilter { name: project.name, keys: project.keys }))
}
