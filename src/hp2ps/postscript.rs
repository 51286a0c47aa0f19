//! The PostScript, operator for operator as hp2ps writes it (`docs/format/hp.md#drawing`).

use super::command_line::{BandLimit, TitleBox};
use super::graph::{
    BOTTOM, FRAME_HEIGHT, FRAME_WIDTH, LEFT, MARGIN, PageTick, title_height, x_ticks, y_ticks,
};
use super::layer_stack::StackLayer;
use super::{Graph, Options, Shades, c_numbers};
use crate::decode::hp::StrictReading;

/// The most entries of a key on one page.
const KEY_ENTRIES: usize = 20;
const LINE: &str = "0.500000 setlinewidth\n";
/// Paints a shape and draws its outline; the shade goes between the two.
const FILL: [&str; 2] = ["closepath\ngsave\n", "fill\ngrestore\nstroke\n"];

#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    pub program: &'a [u8],
    /// The texts and times that were read.
    pub reading: &'a StrictReading,
    pub layers: &'a [StackLayer],
    pub graph: &'a Graph,
    pub shades: &'a Shades,
    pub options: &'a Options,
}

impl Picture<'_> {
    pub fn write(&self) -> Vec<u8> {
        let mut page = Page::default();
        self.header(&mut page);
        match self.options.width {
            Some(width) => {
                let scale = width / FRAME_WIDTH;
                page.line(&[N(scale), N(scale), W("scale")]);
            }
            None => orient(self.options.is_portrait, &mut page),
        }
        page.add(b"/HE10 /Helvetica findfont 10 scalefont def\n");
        page.add(b"/HE12 /Helvetica findfont 12 scalefont def\n");
        self.frame(&mut page);
        if self.options.many_pages {
            self.key_pages(&mut page);
        }
        self.x_axis(&mut page);
        self.y_axis(&mut page);
        if !self.options.many_pages && self.options.limit != BandLimit::None {
            let gap = self.key_gap();
            for (i, layer) in self.layers.iter().enumerate() {
                self.key_entry(
                    layer,
                    LEFT + self.graph.width,
                    key_place(BOTTOM, gap, i),
                    &mut page,
                );
            }
        }
        self.bands(&mut page);
        if !self.options.hides_marks {
            self.marks(&mut page);
        }
        page.add(b"showpage\n");
        page.out
    }

    fn header(&self, page: &mut Page) {
        page.add(b"%!PS-Adobe-2.0\n%%Title: ");
        page.add(&self.reading.job);
        page.add(b"\n%%Creator: ");
        page.add(self.program);
        page.add(b" (version 0.25)\n%%CreationDate: ");
        page.add(&self.reading.date);
        if let Some(width) = self.options.width {
            let scale = width / FRAME_WIDTH;
            let size =
                [FRAME_WIDTH, FRAME_HEIGHT].map(|side| c_numbers::to_i32(side * scale + 0.5));
            page.add(format!("\n%%BoundingBox: 0 0 {} {}", size[0], size[1]).as_bytes());
        }
        page.add(b"\n%%EndComments\n");
    }

    /// The frame, and the title's box with its contents.
    fn frame(&self, page: &mut Page) {
        let box_at = |x: Option<f64>, y: f64, width: f64, height: f64, page: &mut Page| {
            page.add(b"newpath\n");
            match x {
                Some(x) => page.line(&[N(x), N(y), W("moveto")]),
                None => page.add(b"0 0 moveto\n"),
            }
            page.line(&[W("0"), N(height), W("rlineto")]);
            page.line(&[N(width), W("0 rlineto")]);
            page.line(&[W("0"), N(-height), W("rlineto")]);
            page.add(b"closepath\n");
            page.add(LINE.as_bytes());
            page.add(b"stroke\n");
        };
        box_at(None, 0.0, FRAME_WIDTH, FRAME_HEIGHT, page);
        let top = FRAME_HEIGHT - MARGIN;
        let height = title_height(self.graph.title);
        let width = FRAME_WIDTH - 2.0 * MARGIN;
        box_at(Some(MARGIN), top - height, width, height, page);
        match self.graph.title {
            TitleBox::Big => {
                page.line(&[N(MARGIN), N(top - height / 2.0), W("moveto")]);
                page.line(&[N(width), W("0 rlineto\nstroke")]);
                self.job(80, page);
                page.add(b"HE12 setfont\n11.000000 393.000000 moveto\n");
                self.area(page);
                page.add(b"show\n");
                self.date(393.0, page);
            }
            TitleBox::Auto | TitleBox::Small => {
                self.job(35, page);
                page.add(b"HE12 setfont\n");
                self.area(page);
                page.add(b"dup stringwidth pop\n2 div\n");
                page.line(&[N(width / 2.0)]);
                page.add(b"exch sub\n413.000000 moveto\nshow\n");
                self.date(413.0, page);
            }
        }
    }

    fn job(&self, most: usize, page: &mut Page) {
        page.add(b"HE12 setfont\n11.000000 413.000000 moveto\n(");
        let job = &self.reading.job;
        page.escaped(&job[..job.len().min(most)], b"()");
        page.add(b") show\n");
    }

    fn area(&self, page: &mut Page) {
        page.add(b"(");
        c_numbers::print_grouped(c_numbers::to_i64(self.graph.area), &mut page.out);
        page.add(b" ");
        page.add(&self.reading.value_unit);
        page.add(b" x ");
        page.add(&self.reading.sample_unit);
        page.add(b")\n");
    }

    fn date(&self, base: f64, page: &mut Page) {
        page.add(b"HE12 setfont\n(");
        page.add(&self.reading.date);
        page.add(b")\ndup stringwidth pop\n637.000000\nexch sub\n");
        page.line(&[N(base), W("moveto\nshow")]);
    }

    fn x_axis(&self, page: &mut Page) {
        page.line(&[N(LEFT), N(BOTTOM), W("moveto")]);
        page.line(&[N(self.graph.width), W("0 rlineto")]);
        page.add(LINE.as_bytes());
        page.add(b"stroke\nHE10 setfont\n(");
        page.add(&self.reading.sample_unit);
        page.add(b")\ndup stringwidth pop\n");
        page.line(&[N(LEFT + self.graph.width)]);
        page.add(b"exch sub\n5.000000 moveto\nshow\n");
        for PageTick { at, label } in x_ticks(self.graph, self.reading) {
            page.line(&[N(at), N(BOTTOM), W("moveto")]);
            page.add(b"0 -4 rlineto\nstroke\nHE10 setfont\n(");
            page.add(&label);
            page.add(b")\ndup stringwidth pop\n2 div\n");
            page.line(&[N(at), W("exch sub\n5.000000 moveto\nshow")]);
        }
    }

    fn y_axis(&self, page: &mut Page) {
        page.line(&[N(LEFT), N(BOTTOM), W("moveto")]);
        page.line(&[W("0"), N(self.graph.height), W("rlineto")]);
        page.add(LINE.as_bytes());
        page.add(b"stroke\ngsave\nHE10 setfont\n(");
        page.add(&self.reading.value_unit);
        page.add(b")\ndup stringwidth pop\n");
        page.line(&[N(BOTTOM + self.graph.height)]);
        page.add(b"exch sub\n40.000000 exch\ntranslate\n90 rotate\n0 0 moveto\nshow\ngrestore\n");
        for PageTick { at, label } in y_ticks(self.graph, self.reading) {
            page.line(&[N(LEFT), N(at), W("moveto")]);
            page.add(b"-4 0 rlineto\nstroke\nHE10 setfont\n(");
            page.add(&label);
            page.add(b")\ndup stringwidth\n2 div\n");
            page.line(&[N(at), W("exch sub")]);
            page.add(b"exch\n40.000000 exch sub\nexch\nmoveto\nshow\n");
        }
    }

    /// The key on separate pages, and the beginning of the graph's page.
    fn key_pages(&self, page: &mut Page) {
        let gap = self.key_gap();
        for (i, layer) in self.layers.iter().enumerate() {
            if i > 0 && i % KEY_ENTRIES == 0 {
                self.next_page(page);
            }
            self.key_entry(layer, LEFT, key_place(0.0, gap, i % KEY_ENTRIES), page);
        }
        self.next_page(page);
    }

    fn next_page(&self, page: &mut Page) {
        page.add(b"showpage\n");
        orient(self.options.is_portrait, page);
        self.frame(page);
    }

    /// The distance between entries of the key.
    fn key_gap(&self) -> f64 {
        match self.layers.len() {
            entries @ 0..=KEY_ENTRIES => self.graph.height / (entries + 1) as f64,
            _ => self.graph.height / KEY_ENTRIES as f64,
        }
    }

    fn key_entry(&self, layer: &StackLayer, left: f64, centre: f64, page: &mut Page) {
        page.line(&[N(left + 5.0), N(centre - 7.0), W("moveto")]);
        page.add(b"0 14 rlineto\n14 0 rlineto\n0 -14 rlineto\n");
        page.filled(&self.shades.operator(&layer.name));
        page.add(b"HE10 setfont\n");
        page.line(&[N(left + 24.0), N(centre - 5.0), W("moveto")]);
        page.add(b"(");
        page.escaped(&layer.name, b"\\()");
        page.add(b") show\n");
    }

    /// Most of the file: each band is a polygon along the edge of the band below and back along its
    /// own.
    fn bands(&self, page: &mut Page) {
        let times = &self.reading.times;
        let (Some(&first), last) = (times.first(), times.len().saturating_sub(1)) else { return };
        // Every number is formatted only once: an x for all bands, an edge for the two bands that
        // share it.
        let mut xs = Numbers::default();
        times.iter().for_each(|&time| xs.push(self.graph.x(time, first)));
        let scale = self.graph.height / self.graph.y_range;
        let mut heights = vec![0.0; times.len()];
        let mut lower = Numbers::default();
        times.iter().for_each(|_| lower.push(BOTTOM));
        for layer in self.layers {
            for &(sample, value) in &layer.points {
                heights[sample] += value * scale;
            }
            let mut upper = Numbers::default();
            heights.iter().for_each(|height| upper.push(BOTTOM + height));
            page.point(&xs, &lower, 0, "moveto");
            (0..times.len()).for_each(|sample| page.point(&xs, &lower, sample, "lineto"));
            page.point(&xs, &upper, last, "lineto");
            (0..times.len()).rev().for_each(|sample| page.point(&xs, &upper, sample, "lineto"));
            page.filled(&self.shades.operator(&layer.name));
            lower = upper;
        }
    }

    fn marks(&self, page: &mut Page) {
        let first = self.reading.times.first().copied().unwrap_or(0.0);
        for &mark in &self.reading.marks {
            page.line(&[N(self.graph.x(mark, first) - 4.0), N(BOTTOM), W("moveto")]);
            page.add(b"4.000000 -4.000000 rlineto\n4.000000 4.000000 rlineto\n");
            page.filled(b"1.0 setgray\n");
        }
    }
}

/// The centre of an entry of the key, with the rounding errors of hp2ps's repeated addition.
fn key_place(start: f64, gap: f64, entry: usize) -> f64 {
    (0..=entry).fold(start, |centre, _| centre + gap)
}

/// Turns a sheet, or moves the picture to its middle.
fn orient(is_portrait: bool, page: &mut Page) {
    page.add(match is_portrait {
        false => b"-90 rotate\n-756.000000 72.000000 translate\n",
        true => b"72.000000 108.000000 translate\n",
    });
}

#[derive(Clone, Copy)]
enum Operand<'a> {
    N(f64),
    W(&'a str),
}
use Operand::{N, W};

#[derive(Default)]
struct Page {
    out: Vec<u8>,
}

impl Page {
    fn add(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// The parts with blanks between them, and a line end.
    fn line(&mut self, parts: &[Operand<'_>]) {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                self.out.push(b' ');
            }
            match part {
                N(number) => c_numbers::print_fixed(*number, 6, &mut self.out),
                W(words) => self.add(words.as_bytes()),
            }
        }
        self.out.push(b'\n');
    }

    fn escaped(&mut self, text: &[u8], special: &[u8]) {
        for byte in text {
            if special.contains(byte) {
                self.out.push(b'\\');
            }
            self.out.push(*byte);
        }
    }

    fn filled(&mut self, shade: &[u8]) {
        self.add(FILL[0].as_bytes());
        self.add(shade);
        self.add(FILL[1].as_bytes());
    }

    fn point(&mut self, xs: &Numbers, ys: &Numbers, i: usize, operator: &str) {
        self.add(xs.get(i));
        self.out.push(b' ');
        self.add(ys.get(i));
        self.out.push(b' ');
        self.add(operator.as_bytes());
        self.out.push(b'\n');
    }
}

#[derive(Default)]
struct Numbers {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Numbers {
    fn push(&mut self, number: f64) {
        c_numbers::print_fixed(number, 6, &mut self.text);
        self.ends.push(self.text.len());
    }

    fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }
}
