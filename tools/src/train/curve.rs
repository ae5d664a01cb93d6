//! The course of a run, as a table and as a picture.

use std::fmt::Write;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::run::Progress;

/// Width and height of the picture.
const SIZE: (u32, u32) = (720, 400);

/// A table: comma-separated, a line for each epoch.
pub fn csv(history: &[Progress]) -> String {
    let mut text = "epoch,learnt,held_back,against_score\n".to_owned();
    for row in history {
        // A string takes everything.
        let _ = writeln!(
            text,
            "{},{:.6},{:.6},{:.6}",
            row.epoch, row.learnt, row.held_back, row.against_score
        );
    }
    text
}

/// A picture of the losses; `mark` is the loss to beat.
///
/// # Errors
/// If it cannot be drawn.
pub fn svg(history: &[Progress], mark: f64) -> Result<String> {
    let mut picture = String::new();
    draw(&mut picture, history, mark).map_err(|error| anyhow!("the curve: {error}"))?;
    Ok(picture)
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

fn draw(picture: &mut String, history: &[Progress], mark: f64) -> Drawn {
    let area = SVGBackend::with_string(picture, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let losses = history.iter().flat_map(|row| [row.learnt, row.held_back]);
    // The first epoch is so much worse that the others would be a line.
    let top = losses.clone().skip(2).fold(mark, f64::max) * 1.05;
    let bottom = losses.fold(mark, f64::min) * 0.95;
    let last = history.len().max(2) as f64;
    let mut chart = ChartBuilder::on(&area)
        .margin(10)
        .x_label_area_size(35)
        .y_label_area_size(65)
        .build_cartesian_2d(1.0..last, bottom..top)?;
    chart.configure_mesh().x_desc("epoch").y_desc("mean squared error").draw()?;
    let learnt = history.iter().map(|row| (row.epoch as f64, row.learnt.min(top)));
    chart.draw_series(LineSeries::new(learnt, &BLUE))?.label("positions learnt").legend(key(BLUE));
    let held_back = history.iter().map(|row| (row.epoch as f64, row.held_back.min(top)));
    chart.draw_series(LineSeries::new(held_back, &RED))?.label("games held back").legend(key(RED));
    let level = [(1.0, mark), (last, mark)];
    chart.draw_series(LineSeries::new(level, &BLACK))?.label("to beat").legend(key(BLACK));
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    area.present()?;
    Ok(())
}

fn key(color: RGBColor) -> impl Fn((i32, i32)) -> PathElement<(i32, i32)> {
    move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_a_table_and_a_picture() {
        let progress = |epoch: usize| {
            let loss = 0.01 / epoch as f64;
            Progress { epoch, learnt: loss, held_back: loss, against_score: loss }
        };
        let history = [progress(1), progress(2), progress(3)];
        assert_eq!(csv(&history).lines().count(), 4);
        assert!(svg(&history, 0.004).unwrap().contains("games held back"));
        assert!(svg(&[], 0.0).is_ok());
    }
}
