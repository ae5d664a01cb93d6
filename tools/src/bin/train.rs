//! `train`: self-play games in, a network out.

use std::{
    fs::{self, File},
    io::BufReader,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Parser, Subcommand};
use tegenspel::chess::eval::nnue::{Network, NetworkError};
use tools::{
    output::{quietly, say},
    train::{
        Data, Filter, Options, Trainer, curve,
        model::{CHUNK, Model},
        run::{mark, parity},
    },
};

/// Trains, shows and annotates networks.
#[derive(Debug, Parser)]
#[command(version)]
struct Command {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Train a network on files of self-play games
    Run(Run),
    /// Print the record of a network
    Show {
        /// The network
        network: PathBuf,
    },
    /// Add a line to the record of a network
    Note {
        /// The network
        network: PathBuf,
        /// The line
        text: String,
    },
}

#[derive(Debug, Args)]
struct Run {
    /// Files that datagen wrote
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The network to write; its checkpoint, table and picture stand beside it
    #[arg(long)]
    out: PathBuf,
    /// Go on where the checkpoint ends; its options are kept, all but --positions
    #[arg(long)]
    resume: bool,
    /// Begin with this network, or that of this checkpoint, instead of a random one
    #[arg(long, conflicts_with = "resume")]
    refine: Option<PathBuf>,
    /// Share of the next position's label in a label, from 0 to below 1
    #[arg(long, default_value_t = Filter::default().later)]
    later: f32,
    /// Learn so many positions near each of a game, with this build's static evaluation as score
    #[arg(long, default_value_t = 0)]
    near: u32,
    /// Neurons of the hidden layer for each side, a multiple of 64
    #[arg(long, default_value_t = Options::default().width)]
    width: usize,
    /// Times that each position is seen
    #[arg(long, default_value_t = Options::default().epochs)]
    epochs: usize,
    /// Positions of a step
    #[arg(long, default_value_t = Options::default().batch)]
    batch: usize,
    /// Learning rate at the start
    #[arg(long, default_value_t = Options::default().rate)]
    rate: f32,
    /// Weight of the result against the score, 0 to 1
    #[arg(long, default_value_t = Options::default().lambda)]
    lambda: f32,
    /// Centipawns at which the loss takes the chance of winning to be 0.73
    #[arg(long, default_value_t = Options::default().loss_scale)]
    loss_scale: f32,
    /// Seed of the first weights and of the order
    #[arg(long, default_value_t = Options::default().seed)]
    seed: u64,
    /// Threads; with another number, sums are rounded otherwise
    #[arg(long, default_value_t = Options::default().threads)]
    threads: usize,
    /// Plies of a game that are left out
    #[arg(long, default_value_t = Filter::default().first_ply)]
    first_ply: usize,
    /// Scores up to this are learnt, in centipawns
    #[arg(long, default_value_t = Filter::default().largest_score)]
    largest_score: i16,
    /// Use at most so many positions, those read first
    #[arg(long)]
    positions: Option<usize>,
}

impl Run {
    fn options(&self) -> Result<Options> {
        let options = Options {
            width: self.width,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            lambda: self.lambda,
            loss_scale: self.loss_scale,
            seed: self.seed,
            threads: self.threads,
            filter: Filter {
                first_ply: self.first_ply,
                largest_score: self.largest_score,
                later: self.later,
                near: self.near,
                ..Filter::default()
            },
            ..Options::default()
        };
        if self.width == 0 || !self.width.is_multiple_of(CHUNK) || self.width > 4096 {
            bail!("--width must be a multiple of {CHUNK}, up to 4096");
        }
        if self.batch == 0 || self.threads == 0 || !(0.0..=1.0).contains(&self.lambda) {
            bail!("--batch and --threads must be positive, --lambda between 0 and 1");
        }
        if !(0.0..1.0).contains(&self.later) {
            bail!("--later must be from 0 to below 1");
        }
        if !(1.0..=10_000.0).contains(&self.loss_scale) {
            bail!("--loss-scale must be between 1 and 10,000");
        }
        if self.near > 0 && self.lambda > 0.0 {
            bail!("positions off a game have no result: --near needs --lambda 0");
        }
        Ok(options)
    }
}

fn main() -> Result<()> {
    quietly(run())
}

fn run() -> Result<()> {
    match Command::parse().task {
        Task::Run(run) => train(&run),
        Task::Show { network } => {
            let network = load(&network)?;
            say(format_args!("{}\n{}", network.name(), network.record))?;
            Ok(())
        }
        Task::Note { network: path, text } => {
            let mut network = load(&path)?;
            network.record += "\n";
            network.record += &text;
            save(&path, &network.to_bytes())
        }
    }
}

fn load(path: &Path) -> Result<Network> {
    Network::load(path).with_context(|| format!("{}", path.display()))
}

fn save(path: &Path, bytes: &[u8]) -> Result<()> {
    // Written beside it first: an interruption leaves the old file whole.
    let beside = path.with_extension("part");
    fs::write(&beside, bytes)
        .and_then(|()| fs::rename(&beside, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn read(run: &Run, options: &Options) -> Result<Data> {
    let (start, mut data) = (Instant::now(), Data::default());
    for path in &run.files {
        data.read(path, options).with_context(|| format!("cannot read {}", path.display()))?;
    }
    data.learnt.truncate(run.positions.unwrap_or(usize::MAX));
    say(format_args!(
        "{} games, {} positions: {} to learn, {} held back; read in {:.1} s",
        data.games,
        data.positions,
        data.learnt.len(),
        data.held_back.len(),
        start.elapsed().as_secs_f64()
    ))?;
    if data.learnt.is_empty() || data.held_back.is_empty() {
        bail!("that is too little to learn from");
    }
    Ok(data)
}

/// The trainer of a checkpoint.
fn resume(path: &Path, data: &mut Data) -> Result<Trainer> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Trainer::resume(&mut BufReader::new(file), data).with_context(|| path.display().to_string())
}

fn train(run: &Run) -> Result<()> {
    let checkpoint = run.out.with_extension("checkpoint");
    let mut options = run.options()?;
    if run.resume {
        // What is learnt from is decided by the run that is taken up.
        options = resume(&checkpoint, &mut Data::default())?.options;
    }
    let mut data = read(run, &options)?;
    let mut trainer = if run.resume {
        resume(&checkpoint, &mut data)?
    } else if let Some(path) = &run.refine {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let teacher = match Network::from_bytes(&bytes) {
            Ok(network) => Model::try_from(&network).map_err(|error| anyhow!(error))?,
            Err(NetworkError::NoNetwork) => resume(path, &mut Data::default())?.model,
            Err(error) => bail!("{}: {error}", path.display()),
        };
        Trainer::refine(options, &teacher).map_err(|error| anyhow!(error))?
    } else {
        Trainer::new(options)
    };
    let mark = mark(&data, trainer.options.loss_scale);
    say(format_args!("to beat, against the score: {mark:.6}"))?;
    while trainer.history.len() < trainer.options.epochs {
        let start = Instant::now();
        let progress = trainer.epoch(&mut data);
        let speed = data.learnt.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
        let mut bytes = Vec::new();
        trainer.save(&mut bytes)?;
        save(&checkpoint, &bytes)?;
        save(&run.out.with_extension("csv"), curve::csv(&trainer.history).as_bytes())?;
        say(format_args!(
            "epoch {:3}  learnt {:.6}  held back {:.6}  against the score {:.6}  {speed:.2} \
             million positions a second",
            progress.epoch, progress.learnt, progress.held_back, progress.against_score
        ))?;
    }
    finish(run, &trainer, &data, mark)
}

fn finish(run: &Run, trainer: &Trainer, data: &Data, mark: f64) -> Result<()> {
    let last = trainer.history.last().ok_or_else(|| anyhow!("no epoch was asked for"))?;
    let record = format!(
        "options {}\ndata {} games, {} positions learnt, {} held back\nloss {:.6} learnt, {:.6} \
         held back, {:.6} against the score alone (the evaluation before: {mark:.6})",
        serde_json::to_string(&trainer.options)?,
        data.games,
        data.learnt.len(),
        data.held_back.len(),
        last.learnt,
        last.held_back,
        last.against_score,
    );
    let network = trainer.model.quantize(record)?;
    save(&run.out, &network.to_bytes())?;
    save(&run.out.with_extension("svg"), curve::svg(&trainer.history, mark)?.as_bytes())?;
    let samples = &data.held_back[..data.held_back.len().min(10_000)];
    let (mean, largest) = parity(&trainer.model, samples).map_err(|error| anyhow!(error))?;
    say(format_args!(
        "integers against floats on {} positions: {mean:.2} centipawns on average, {largest:.1} \
         at most\n{}",
        samples.len(),
        network.name()
    ))?;
    Ok(())
}
