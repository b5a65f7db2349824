//! A chart as SVG. It uses only plain shapes and attributes, which editors and printers support as well as browsers.

use std::fmt::Write;

use super::html::escaped;
use crate::layout::draw::{Align, Dash, Font, Op, Paint, Rgba};
use crate::layout::flame::Area;
use crate::layout::picture::{Picture, Tooltip};

/// Returns the complete file. `color_of` is the theme. Fonts are tried in the order of `font_family`.
pub fn svg(picture: &Picture, font_family: &str, color_of: &dyn Fn(Paint) -> Rgba) -> String {
    let Picture { width, height, place: (x, y), drawing_size: (drawing_width, drawing_height), .. } = picture;
    let mut file = String::new();
    // Writing to a string can't fail.
    let _ = writeln!(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
         font-family=\"{2}\">",
        number(*width),
        number(*height),
        escaped(font_family),
    );
    let paint_attribute = |name: &str, paint: Paint| color(name, color_of(paint));
    shapes(&mut file, &picture.frame, &paint_attribute);
    // A nested SVG clips its contents.
    let _ = writeln!(file, "<svg {}>", area(*x, *y, *drawing_width, *drawing_height));
    shapes(&mut file, &picture.drawing, &paint_attribute);
    tooltips(&mut file, &picture.tooltips);
    file.push_str("</svg>\n</svg>\n");
    file
}

/// Adds draw operations as shapes. `paint_attribute` formats a color as the named attribute, `fill` or `stroke`.
pub(super) fn shapes(file: &mut String, ops: &[Op], paint_attribute: &dyn Fn(&str, Paint) -> String) {
    ops.iter().for_each(|op| shape(file, op, paint_attribute));
}

/// Adds an invisible area for each tooltip, on top of all shapes.
pub(super) fn tooltips(file: &mut String, tooltips: &[Tooltip]) {
    for Tooltip { area: Area { x, y, w, h }, text } in tooltips {
        let area = area(*x, *y, *w, *h);
        let _ =
            writeln!(file, "<rect {area} fill=\"none\" pointer-events=\"all\"><title>{}</title></rect>", escaped(text));
    }
}

fn shape(file: &mut String, op: &Op, paint_attribute: &dyn Fn(&str, Paint) -> String) {
    let fill = |paint: Paint| paint_attribute("fill", paint);
    let stroke = |paint: Paint, width: f64| {
        format!("fill=\"none\" {} stroke-width=\"{}\"", paint_attribute("stroke", paint), number(width))
    };
    let _ = match op {
        Op::Rect { x, y, w, h, fill: paint } => writeln!(file, "<rect {} {}/>", area(*x, *y, *w, *h), fill(*paint)),
        Op::Frame { x, y, w, h, stroke: paint, width } => {
            let inside = area(x + width / 2.0, y + width / 2.0, w - width, h - width);
            writeln!(file, "<rect {inside} {}/>", stroke(*paint, *width))
        }
        Op::Text { x, y, text, fill: paint, align, font } => writeln!(
            file,
            "<text x=\"{}\" y=\"{}\"{} {} {}>{}</text>",
            number(*x),
            // The middle of lowercase letters is about this far above the baseline.
            number(y + 0.35 * font.px()),
            anchor(*align),
            style(*font),
            fill(*paint),
            escaped(text),
        ),
        Op::Area { points: corners, fill: paint } => {
            writeln!(file, "<polygon points=\"{}\" {}/>", points(corners), fill(*paint))
        }
        Op::Line { points: corners, stroke: paint, width, dash } => {
            let dashes = match dash {
                Dash::Solid => "",
                Dash::Dotted => " stroke-dasharray=\"2 3\"",
            };
            writeln!(file, "<polyline points=\"{}\" {}{dashes}/>", points(corners), stroke(*paint, *width))
        }
        Op::Dot { x, y, r, fill: paint } => {
            let [x, y, r] = [*x, *y, *r].map(number);
            writeln!(file, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {}/>", fill(*paint))
        }
    };
}

/// `fill="#1d2125"`, with an opacity if the color isn't opaque.
fn color(attribute: &str, Rgba { red, green, blue, alpha }: Rgba) -> String {
    let opaque = format!("{attribute}=\"#{red:02x}{green:02x}{blue:02x}\"");
    match alpha {
        255 => opaque,
        alpha => format!("{opaque} {attribute}-opacity=\"{}\"", number(f64::from(alpha) / 255.0)),
    }
}

fn area(x: f64, y: f64, w: f64, h: f64) -> String {
    // A negative width would be an error in SVG.
    let [x, y, w, h] = [x, y, w.max(0.0), h.max(0.0)].map(number);
    format!("x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"")
}

fn anchor(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Center => " text-anchor=\"middle\"",
        Align::Right => " text-anchor=\"end\"",
    }
}

fn style(font: Font) -> String {
    let weight = match font.weight() {
        400 => String::new(),
        weight => format!(" font-weight=\"{weight}\""),
    };
    format!("font-size=\"{}\"{weight}", number(font.px()))
}

fn points(corners: &[(f64, f64)]) -> String {
    corners.iter().map(|&(x, y)| format!("{},{}", number(x), number(y))).collect::<Vec<_>>().join(" ")
}

/// At most two decimals, which is finer than any screen.
fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded.is_finite() { rounded.to_string() } else { "0".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_becomes_a_shape_and_names_are_escaped() {
        let drawing = vec![
            Op::Rect { x: 0.0, y: 1.0, w: 2.0, h: -3.0, fill: Paint::Other },
            Op::Frame { x: 0.0, y: 0.0, w: 10.0, h: 10.0, stroke: Paint::Accent, width: 1.0 },
            Op::Text {
                x: 1.0 / 3.0,
                y: 10.0,
                text: "<b> & \"c\"".to_owned(),
                fill: Paint::Ink,
                align: Align::Right,
                font: Font::SmallBold,
            },
            Op::Area { points: vec![(0.0, 0.0), (1.0, 2.0)], fill: Paint::AccentSoft },
            Op::Line { points: vec![(0.0, f64::NAN)], stroke: Paint::Line, width: 1.0, dash: Dash::Dotted },
            Op::Dot { x: 1.0, y: 2.0, r: 3.0, fill: Paint::Ink },
        ];
        let picture = Picture {
            width: 20.0,
            height: 30.0,
            frame: Vec::new(),
            drawing,
            tooltips: vec![Tooltip {
                area: Area { x: 0.0, y: 1.0, w: 2.0, h: 3.0 },
                text: "Dune__exe__A.<f>".to_owned(),
            }],
            place: (4.0, 5.0),
            drawing_size: (10.0, 10.0),
        };
        let color_of = |paint: Paint| {
            let alpha = if paint == Paint::AccentSoft { 51 } else { 255 };
            Rgba { red: 1, green: 32, blue: 255, alpha }
        };
        let expected = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"30\" viewBox=\"0 0 20 30\" font-family=\"&quot;Inter&quot;, serif\">
<svg x=\"4\" y=\"5\" width=\"10\" height=\"10\">
<rect x=\"0\" y=\"1\" width=\"2\" height=\"0\" fill=\"#0120ff\"/>
<rect x=\"0.5\" y=\"0.5\" width=\"9\" height=\"9\" fill=\"none\" stroke=\"#0120ff\" stroke-width=\"1\"/>
<text x=\"0.33\" y=\"13.85\" text-anchor=\"end\" font-size=\"11\" font-weight=\"600\" fill=\"#0120ff\">&lt;b&gt; &amp; &quot;c&quot;</text>
<polygon points=\"0,0 1,2\" fill=\"#0120ff\" fill-opacity=\"0.2\"/>
<polyline points=\"0,0\" fill=\"none\" stroke=\"#0120ff\" stroke-width=\"1\" stroke-dasharray=\"2 3\"/>
<circle cx=\"1\" cy=\"2\" r=\"3\" fill=\"#0120ff\"/>
<rect x=\"0\" y=\"1\" width=\"2\" height=\"3\" fill=\"none\" pointer-events=\"all\"><title>Dune__exe__A.&lt;f&gt;</title></rect>
</svg>
</svg>
";
        assert_eq!(svg(&picture, "\"Inter\", serif", &color_of), expected);
    }
}
