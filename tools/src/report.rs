//! A match as one HTML file: the table, and pictures of how it came about.

#![expect(clippy::format_push_string, reason = "a report is written once")]

use std::fmt::Write;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use crate::{
    elo::{Results, shown},
    sprt::Sprt,
    standings::{self, Played},
    tournament::{Plan, Record},
};

const SIZE: (u32, u32) = (860, 340);
/// Colours that people of every kind of colour vision tell apart (Okabe & Ito 2008).
const COLORS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:900px;margin:2em auto;\
padding:0 1em;color:#222}h1{font-weight:600}h2{margin-top:2em;font-weight:600}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
th,td{padding:.35em .6em;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}\
th:first-child,td:first-child{text-align:left}th{font-weight:600;color:#555}\
.big{font-size:1.5em}.wide{overflow-x:auto}svg{max-width:100%;height:auto}.note{color:#666}";

/// The report.
///
/// # Errors
/// If a picture cannot be drawn.
pub fn html(plan: &Plan, records: &[Record], sprt: Option<Sprt>) -> Result<String> {
    let games: Vec<Played> = records.iter().map(|record| record.played(plan)).collect();
    let first = &plan.engines[0].name;
    let title = plan.engines.iter().map(|engine| escape(&engine.name)).collect::<Vec<_>>();
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title>\
         <style>{STYLE}</style><h1>{0}</h1>",
        title.join(" – ")
    );
    let results = standings::results(&games, first, None);
    write!(
        page,
        "<p>{} games at {}; {} openings, each to be played with both colours.</p>",
        games.len(),
        escape(&plan.control.to_string()),
        plan.openings.len()
    )?;
    headline(&mut page, first, &results, sprt)?;
    page += &table(&games);
    for (heading, picture) in [
        (format!("Rating of {} over the games", escape(first)), elo_over_games(&games, first)?),
        (format!("Points of {} by opening", escape(first)), by_opening(plan, records)?),
        ("Time of a move, seconds".to_owned(), per_move(plan, records, "seconds", times)?),
        ("Depth of a move".to_owned(), per_move(plan, records, "depth", depths)?),
    ] {
        write!(page, "<h2>{heading}</h2>{picture}")?;
    }
    page += &endings(plan, records);
    page.push_str("</html>\n");
    Ok(page)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn headline(page: &mut String, name: &str, results: &Results, sprt: Option<Sprt>) -> Result<()> {
    let e = results.estimate();
    write!(
        page,
        "<p class=\"big\">{}: {} Elo</p><p>Normalised {} ± {}; better with probability {} %; \
         {} % drawn.</p>",
        escape(name),
        results.elo_text(1, " ± "),
        shown(e.normalized, 1),
        shown(e.normalized_error, 1),
        shown(100.0 * e.superiority, 1),
        shown(100.0 * results.draw_ratio(), 1)
    )?;
    if let Some(sprt) = sprt {
        let llr = sprt.llr(results);
        write!(page, "<p>SPRT {sprt}: LLR {llr:.2}, {:?}.</p>", sprt.verdict(llr))?;
    }
    Ok(())
}

fn table(games: &[Played]) -> String {
    let mut html = "<div class=\"wide\"><table><tr><th>Player<th>Elo<th>±<th>Games<th>Won<th>Drawn\
                    <th>Lost<th>Score<th>as White<th>as Black<th>Pairs 0 ½ 1 1½ 2"
        .to_owned();
    for name in standings::players(games) {
        let results = standings::results(games, &name, None);
        let [elo, error] = results.elo_cells(1);
        let color = standings::by_color(games, &name)
            .map(|(points, games)| shown(100.0 * points / games as f64, 1));
        let [lost, drawn, won] = results.games;
        html += &format!(
            "<tr><td>{}<td>{elo}<td>{error}<td>{}<td>{won}<td>{drawn}<td>{lost}<td>{:.1} %\
             <td>{} %<td>{} %<td>{}",
            escape(&name),
            results.played(),
            100.0 * results.estimate().score,
            color[0],
            color[1],
            results.pairs.map(|n| n.to_string()).join(" · ")
        );
    }
    html + "</table></div>"
}

fn elo_over_games(games: &[Played], name: &str) -> Result<String> {
    // Some 300 points are as many as the picture can show.
    let step = (games.len() / 300).max(1);
    let counts = (10.min(games.len())..=games.len()).rev().step_by(step);
    let mut points: Vec<(f64, f64, f64)> = counts
        .map(|count| {
            let e = standings::results(&games[..count], name, None).estimate();
            (count as f64, e.elo, e.elo_error)
        })
        .filter(|(_, elo, error)| elo.is_finite() && error.is_finite())
        .collect();
    points.reverse();
    let Some(&(_, last, spread)) = points.last() else {
        return Ok("<p class=\"note\">Too few games.</p>".into());
    };
    let reach = (4.0 * spread).max(10.0);
    let (low, high) = (last.min(0.0) - reach, last.max(0.0) + reach);
    let clip = |y: f64| y.clamp(low, high);
    let right = games.len() as f64;
    picture((0.0, right.max(1.0)), (low, high), ["games", "Elo"], |chart| {
        let upper = points.iter().map(|&(x, y, e)| (x, clip(y + e)));
        let lower = points.iter().rev().map(|&(x, y, e)| (x, clip(y - e)));
        let band: Vec<(f64, f64)> = upper.chain(lower).collect();
        chart.draw_series([Polygon::new(band, COLORS[0].mix(0.2))])?;
        chart.draw_series(LineSeries::new([(0.0, 0.0), (right, 0.0)], BLACK.mix(0.5)))?;
        let line = points.iter().map(|&(x, y, _)| (x, clip(y)));
        chart.draw_series(LineSeries::new(line, COLORS[0].stroke_width(2)))?;
        Ok(())
    })
}

/// How many openings gave the first player so many points of two (averaged, when played more often).
fn by_opening(plan: &Plan, records: &[Record]) -> Result<String> {
    let mut sums = std::collections::BTreeMap::<usize, (f64, f64)>::new();
    for record in records {
        let outcome = match record.players {
            [0, _] => record.outcome(),
            [_, 0] => record.outcome().reversed(),
            _ => continue,
        };
        let sum = sums.entry(record.opening).or_default();
        sum.0 += outcome.half_points() as f64 / 2.0;
        sum.1 += 1.0;
    }
    let mut ranked: Vec<(f64, usize)> =
        sums.iter().map(|(&opening, &(points, games))| (points / games, opening)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count = ranked.len().max(1) as f64;
    let mut html =
        picture((0.0, count), (0.0, 1.0), ["openings, worst first", "score"], |chart| {
            let bars = ranked.iter().enumerate().map(|(i, &(score, _))| {
                let (x, top) = (i as f64, score.max(0.01));
                Rectangle::new([(x, 0.0), (x + 1.0, top)], COLORS[2].mix(0.7).filled())
            });
            chart.draw_series(bars)?;
            let even = [(0.0, 0.5), (count, 0.5)];
            chart.draw_series(LineSeries::new(even, BLACK.mix(0.5)))?;
            Ok(())
        })?;
    let worst: Vec<String> = ranked
        .iter()
        .take(5)
        .filter(|(score, _)| *score < 0.5)
        .map(|&(score, i)| {
            format!("{:.0} % <code>{}</code>", 100.0 * score, escape(&plan.openings[i]))
        })
        .collect();
    if !worst.is_empty() {
        html += &format!("<p class=\"note\">The worst: {}</p>", worst.join("<br>"));
    }
    Ok(html)
}

fn times(record: &Record) -> Vec<f64> {
    record.times.iter().map(|&ms| f64::from(ms) / 1000.0).collect()
}

fn depths(record: &Record) -> Vec<f64> {
    record.depths.iter().map(|&depth| f64::from(depth)).collect()
}

/// The mean of a quantity by move number, a line for each player.
fn per_move(
    plan: &Plan,
    records: &[Record],
    unit: &str,
    values: impl Fn(&Record) -> Vec<f64>,
) -> Result<String> {
    let mut sums = vec![Vec::<(f64, u32)>::new(); plan.engines.len()];
    for record in records {
        let black_begins = plan.openings[record.opening].split_whitespace().nth(1) == Some("b");
        for (ply, value) in values(record).into_iter().enumerate() {
            let player = record.players[(ply + usize::from(black_begins)) % 2];
            let sums = &mut sums[player];
            sums.resize(sums.len().max(ply / 2 + 1), (0.0, 0));
            sums[ply / 2].0 += value;
            sums[ply / 2].1 += 1;
        }
    }
    // A mean over a few long games says nothing.
    let enough = (records.len() as u32 / 10).max(1);
    let lines: Vec<Vec<(f64, f64)>> = sums
        .iter()
        .map(|sums| {
            let known = sums.iter().enumerate().filter(|(_, (_, n))| *n >= enough);
            known.map(|(i, (sum, n))| (i as f64 + 1.0, sum / f64::from(*n))).collect()
        })
        .collect();
    let right = lines.iter().flatten().map(|point| point.0).fold(2.0, f64::max);
    let top = lines.iter().flatten().map(|point| point.1).fold(1e-3, f64::max) * 1.1;
    let mut html = picture((1.0, right), (0.0, top), ["move", unit], |chart| {
        for (line, color) in lines.iter().zip(COLORS.iter().cycle()) {
            chart.draw_series(LineSeries::new(line.iter().copied(), color.stroke_width(2)))?;
        }
        Ok(())
    })?;
    html.push_str("<p>");
    for (engine, color) in plan.engines.iter().zip(COLORS.iter().cycle()) {
        let RGBColor(r, g, b) = color;
        let name = escape(&engine.name);
        html += &format!("<span style=\"color:rgb({r},{g},{b})\">■</span> {name} &nbsp; ");
    }
    Ok(html + "</p>")
}

/// How the games ended, and what went wrong.
fn endings(plan: &Plan, records: &[Record]) -> String {
    let mut counts = std::collections::BTreeMap::<&str, u32>::new();
    for record in records {
        *counts.entry(&record.reason).or_default() += 1;
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let mut html = "<h2>How the games ended</h2><table><tr><th>Reason<th>Games".to_owned();
    for (reason, count) in rows {
        html += &format!("<tr><td>{}<td>{count}", escape(reason));
    }
    html.push_str("</table>");
    let faults = records.iter().filter_map(|record| Some((record, record.fault.as_ref()?)));
    let lines: Vec<String> = faults
        .map(|(record, (player, fault))| {
            let name = escape(&plan.engines[*player].name);
            format!("game {}: {name} {}", record.number + 1, escape(fault))
        })
        .collect();
    if lines.is_empty() {
        return html + "<p>No engine failed.</p>";
    }
    html + &format!("<h2>Faults</h2><p>{}</p>", lines.join("<br>"))
}

/// A number without the zeros that say nothing.
fn tidy(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

type Chart<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

fn picture(
    x: (f64, f64),
    y: (f64, f64),
    [x_name, y_name]: [&str; 2],
    draw: impl FnOnce(&mut Chart<'_, '_>) -> Drawn,
) -> Result<String> {
    let mut svg = String::new();
    let drawn = || -> Drawn {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .margin_right(30) // half of the last number
            .x_label_area_size(45)
            .y_label_area_size(60)
            .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.08))
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| tidy(*y))
            .x_desc(x_name)
            .y_desc(y_name)
            .label_style(("sans-serif", 14))
            .axis_desc_style(("sans-serif", 15))
            .draw()?;
        draw(&mut chart)?;
        area.present()
    }();
    drawn.map_err(|error| anyhow!("cannot draw: {error}"))?;
    Ok(svg)
}
