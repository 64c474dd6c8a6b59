//! `cargo xtask real`: plays recorded sessions of real projects through the hooks, and measures what became of them.
//!
//! The sessions, and what their readers would have noted, are not part of the project: without them the task says so and ends. Everything
//! runs through the binary in private homes at the sessions' own times. Not here: whether a memory is worth keeping, which is for a judge
//! (`--sheets`, `--tally`).

mod figures;
pub(crate) mod gold;
mod hand_checked;
mod judge_sheets;
mod matching;
mod memory_figures;
mod mixed_sheets;
mod moment_figures;
mod planted;
mod project_run;
pub(crate) mod recorded_sessions;
mod replay_home;
mod session_player;
mod tally;
mod title_defects;
mod writer_folders;

use crate::places::{root, target};
use crate::{TaskResult, cargo, say};
use figures::RunFigures;
use gold::Gold;
use hand_checked::LabelledMemories;
use matching::Matcher;
use memory_figures::{PreparedRun, recall_notes};
use project_run::ProjectRun;
use recorded_sessions::RecordedProject;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;
use writer_folders::WriterFolders;

const USAGE: &str =
    "usage: cargo xtask real [DIR] [--bin FILE] [--json FILE] [--against FILE] [--sheets DIR] [--notes FILE]
                        [--save FILE] [--load FILE] [--requests DIR] [--answers DIR [--planted]] [--ideal]
       cargo xtask real --tally DIR
       cargo xtask real --mix DIR SAVED SAVED…

--bin      measure this program instead of building one
--json     write the numbers; --against prints what differs from numbers written before
--sheets   write sheets for a judge; --tally prints the tables of filled ones
--mix      write one shuffled sheet of saved runs, and beside DIR the key to them; --tally then prints tables for each run
--notes    write what became of every gold note, and the memory nearest to it
--requests write what a model would be asked at each session's end: DIR/PROJECT/SESSION.json
--answers  take what one answered, from files of the same names
--planted  spoil each note of these answers in several ways, and count what is caught
--ideal    write what readers noted when its session ends: what is not injected then is the injection's fault alone
--save     keep what the replay left; --load measures that again without a replay";

/// Replays, measures, prints.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    if let [flag, folder, saved @ ..] = arguments
        && flag == "--mix"
    {
        let saved: Vec<PathBuf> = saved.iter().map(PathBuf::from).collect();
        return mixed_sheets::write(&saved, Path::new(folder));
    }
    let mut options = RealOptions::read(arguments)?;
    if let Some(folder) = &options.tally {
        return tally::print(folder);
    }
    if !options.data.join("gold.jsonl").is_file() {
        say(&format!("SKIPPED: no real sessions in {}", options.data.display()));
        return Ok(());
    }
    let started = Instant::now();
    let gold = Gold::read(&options.data.join("gold.jsonl"))?;
    options.writer.ideal_notes = options.is_ideal.then(|| gold.clone());
    let (program, runs) = match &options.load {
        Some(saved) => (saved.display().to_string(), project_run::load(saved)?),
        None => replay(&options)?,
    };
    if let Some(path) = &options.save {
        project_run::save(&runs, path)?;
    }
    say(&format!("built and replayed in {} s", started.elapsed().as_secs()));
    writer_folders::report(&runs);
    let labels = LabelledMemories::read(&options.data)?;
    let notes: Vec<String> =
        gold.notes().values().map(|note| format!("{}\n{}", note.title, note.text)).collect();
    let matcher = Matcher::new(notes.iter().map(String::as_str).chain(labels.texts()));
    let mut figures = RunFigures::new(program);
    let lines = measure(&runs, &gold, &matcher, &mut figures);
    say(&figures.table());
    moment_figures::report_bill(&runs);
    hand_checked::report(&labels, &gold, &matcher)?;
    hand_checked::report_titles(&labels, &runs);
    if let Some(path) = &options.notes {
        fs::write(path, lines.concat())?;
    }
    if let Some(folder) = &options.sheets {
        judge_sheets::write(&runs, folder)?;
    }
    if let Some(path) = &options.against {
        say(&figures.differences(&RunFigures::read(path)?));
    }
    if let Some(path) = &options.json {
        figures.write(path)?;
    }
    say(&format!("done in {} s", started.elapsed().as_secs()));
    Ok(())
}

/// Measures every project; returns a line for each gold note.
fn measure(runs: &[ProjectRun], gold: &Gold, matcher: &Matcher, figures: &mut RunFigures) -> Vec<String> {
    let mut lines = Vec::new();
    for run in runs {
        let prepared = PreparedRun::new(run, gold, matcher);
        memory_figures::measure(&prepared, figures);
        moment_figures::measure(&prepared, gold, figures);
        lines.extend(recall_notes(&prepared).iter().map(|it| {
            let memory = it
                .memory
                .map(|memory| json!({"kind": memory.kind, "title": memory.title, "uid": memory.uid}));
            let verdict = format!("{:?}", it.verdict).to_lowercase();
            json!({"note": it.note.id, "class": it.note.class, "verdict": verdict, "memory": memory})
                .to_string()
                + "\n"
        }));
    }
    lines
}

/// Plays all projects, as many at a time as there are cores and one more: a hook mostly waits for the disk.
fn replay(options: &RealOptions) -> TaskResult<(String, Vec<ProjectRun>)> {
    let world = tempfile::tempdir()?;
    // A copy, because somebody may build while this runs.
    let program = world.path().join("backstory");
    fs::copy(options.program.clone().map_or_else(build, Ok)?, &program)?;
    let projects = recorded_sessions::unpack(&options.data, world.path())?;
    let waiting: Mutex<std::slice::Iter<'_, RecordedProject>> = Mutex::new(projects.iter());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..=std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(project) = waiting.lock().ok().and_then(|mut it| it.next()) {
                    let result = play_project(&program, project, &options.writer);
                    if let Ok(mut results) = results.lock() {
                        results.push(result);
                    }
                }
            });
        }
    });
    let results = results.into_inner().map_err(|_| "a replay panicked")?;
    let mut runs = results.into_iter().collect::<Result<Vec<_>, String>>()?;
    runs.sort_by(|one, other| one.project.cmp(&other.project));
    Ok((program_version(&program)?, runs))
}

fn play_project(
    program: &Path,
    project: &RecordedProject,
    folders: &WriterFolders,
) -> Result<ProjectRun, String> {
    let started = Instant::now();
    let run = session_player::play_project(program, project, folders)
        .map_err(|error| format!("playing {}: {error}", project.name))?;
    say(&format!("{}: {} hooks in {} s", project.name, run.hooks, started.elapsed().as_secs()));
    Ok(run)
}

/// Builds the program unoptimised: it is slower by less than its release build takes.
fn build() -> TaskResult<PathBuf> {
    cargo(&["build", "--quiet", "--package", "backstory-cli", "--features", "full"])?;
    Ok(target().join("debug/backstory"))
}

fn program_version(program: &Path) -> TaskResult<String> {
    let output = std::process::Command::new(program).arg("--version").env_clear().output()?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
}

/// The command line.
#[derive(Default)]
struct RealOptions {
    data: PathBuf,
    program: Option<PathBuf>,
    json: Option<PathBuf>,
    against: Option<PathBuf>,
    sheets: Option<PathBuf>,
    tally: Option<PathBuf>,
    notes: Option<PathBuf>,
    save: Option<PathBuf>,
    load: Option<PathBuf>,
    writer: WriterFolders,
    is_ideal: bool,
}

impl RealOptions {
    fn read(arguments: &[String]) -> TaskResult<RealOptions> {
        let mut options = RealOptions { data: root().join("../shared/real"), ..RealOptions::default() };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            if !name.starts_with("--") {
                options.data = PathBuf::from(name);
                continue;
            }
            if name == "--planted" {
                options.writer.is_planting = true;
                continue;
            }
            if name == "--ideal" {
                options.is_ideal = true;
                continue;
            }
            let value = Some(PathBuf::from(rest.next().ok_or(USAGE)?));
            match name.as_str() {
                "--bin" => options.program = value,
                "--json" => options.json = value,
                "--against" => options.against = value,
                "--sheets" => options.sheets = value,
                "--tally" => options.tally = value,
                "--notes" => options.notes = value,
                "--save" => options.save = value,
                "--load" => options.load = value,
                "--requests" => options.writer.requests = value,
                "--answers" => options.writer.answers = value,
                _ => return Err(USAGE.into()),
            }
        }
        Ok(options)
    }
}
