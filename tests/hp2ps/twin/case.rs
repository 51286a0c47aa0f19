//! Inputs for both programs, most of them random: odd spacing, names and numbers, statements in the wrong
//! place, cut files, changed bytes, any flags, any `.aux`.

use crate::common::generator::Random;

/// An input.
#[derive(Clone, Default)]
pub struct Case {
    pub name: String,
    pub hp: Vec<u8>,
    /// The file of a previous run, if there is one.
    pub aux: Option<Vec<u8>>,
    pub flags: Vec<String>,
    pub call: Call,
}

/// How the program gets its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Call {
    /// As `t`.
    #[default]
    Stem,
    /// As `t.hp`.
    File,
    /// On standard input.
    Filter,
    /// As a file that does not exist.
    Absent,
}

/// Names that a program may have, and some that it should not.
const NAMES: &str = "a b c main MAIN (151)PINNED (303)build.\\/build/main.m/main Data.Map.Strict ARR_WORDS \
    ->>IO I# (,) x:y|z 0x4a10 12 1.5 OTHER ORDER X_RANGE job END_SAMPLES café Ωmega say\"hi \
    half(open back\\slash mmmmmmmmmmmmmmmmmmmmmmmmm iiiiiiiiiiii <Main.sat_s2Pf> VOID DRAG \
    -x a.b.c é DATE2 ~!@#$%^&*";

fn any_name(random: &mut Random) -> String {
    let names: Vec<&str> = NAMES.split(' ').collect();
    random.of(&names).to_string()
}

const GAPS: [&str; 9] = [" ", "\n", "\t", "  ", "\r\n", "\n\n", "\x0b", " \x0c ", " \n\t"];

impl Case {
    pub fn named(name: &str) -> Self {
        Case { name: name.to_owned(), ..Case::default() }
    }

    /// The case for the state of a random generator.
    pub fn random(random: &mut Random) -> Self {
        let mut writer =
            Writer { tidy: random.one_in(2), random, out: Vec::new(), names: Vec::new() };
        writer.file();
        let Writer { out: mut hp, names, .. } = writer;
        if random.one_in(5) && !hp.is_empty() {
            hp.truncate(random.index(hp.len()));
        }
        if random.one_in(8) {
            damage(&mut hp, random);
        }
        let flags = (0..random.index(5)).map(|_| flag(random)).collect();
        let aux = random.one_in(3).then(|| aux(&names, random));
        let call = match random.index(12) {
            0..=2 => Call::Filter,
            3..=6 => Call::File,
            7 if random.one_in(10) => Call::Absent,
            _ => Call::Stem,
        };
        Case { name: String::new(), hp, aux, flags, call }
    }
}

/// Changes some bytes. Control characters have no width in hp2ps's table, and it reads past the end of
/// the table, so only white space is inserted.
fn damage(hp: &mut Vec<u8>, random: &mut Random) {
    const BYTES: &[u8] = b"\"\n\t 0123456789.-aZ_(\\)\xc3\xa9\x0b\x0c\r\0";
    for _ in 0..1 + random.index(3) {
        if hp.is_empty() {
            return;
        }
        let at = random.index(hp.len());
        match random.index(3) {
            0 => {
                hp.remove(at);
            }
            1 => hp.insert(at, *random.of(BYTES)),
            _ => hp[at] = *random.of(BYTES),
        }
    }
}

fn flag(random: &mut Random) -> String {
    let number = match random.index(6) {
        0 => random.index(6).to_string(),
        1 => format!("{}.{}", random.index(6), random.index(100)),
        2 => (150 + random.index(700)).to_string(),
        3 => String::new(),
        4 => random
            .of(&["-3", "+2", "1e1", "0x3", "nan", "3abc", " 2", "999999", ".5", "-1"])
            .to_string(),
        _ => random.index(40).to_string(),
    };
    let letter = *random.of(b"bcdegiimmmMpppsttylz?");
    let rest = match letter {
        b'm' | b't' => number,
        b'e' => number + *random.of(&["", "in", "mm", "pt", "cm", "n"]),
        b'i' => random.of(&["", "+", "-", "x"]).to_string(),
        b'p' => random.of(&["", "", "d", "p", "c", "t2", "m4", "z"]).to_string(),
        // Documented but missing in hp2ps, so it cannot be compared; unknown flags are rare.
        b'l' | b'z' | b'?' if !random.one_in(8) => return "-c".to_owned(),
        b'l' => return "-".to_owned(),
        _ if random.one_in(6) => number,
        _ => String::new(),
    };
    format!("-{}{rest}", char::from(letter))
}

fn aux(names: &[String], random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    let most = if random.one_in(10) { 90 } else { 12 };
    for _ in 0..random.index(most) {
        let name = match names.is_empty() || random.one_in(5) {
            true => any_name(random),
            false => random.of(names).clone(),
        };
        let whole = match random.index(12) {
            0 => "99999999999999999999".to_owned(),
            1 => (random.next() >> 28).to_string(),
            _ => random.index(30).to_string(),
        };
        let real = match random.index(10) {
            0 => format!("{}.5", random.next() >> 20),
            1 => "1.2.3".to_owned(),
            _ => format!("{}.{:02}", random.index(4), random.index(100)),
        };
        let [whole, real] = match random.one_in(60) {
            true => [real, whole],
            false => [whole, real],
        };
        let gap = random.of(&[" ", " ", " ", "\n", "\t"]);
        text += &match random.index(20) {
            0..=1 => format!("X_RANGE{gap}{real}\n"),
            2..=3 => format!("Y_RANGE {}{real}\n", random.index(1000)),
            4..=11 => format!("ORDER{gap}{name} {whole}\n"),
            12..=18 => format!("SHADE {name}{gap}{real}\n"),
            _ if random.one_in(8) => random.of(&["foo ", "5 ", "1.5 ", "\"", "ORDER"]).to_string(),
            _ => "\n".to_owned(),
        };
    }
    let mut text = text.into_bytes();
    if random.one_in(8) && !text.is_empty() {
        text.truncate(random.index(text.len()));
    }
    text
}

struct Writer<'r> {
    random: &'r mut Random,
    out: Vec<u8>,
    /// Written as by the run-time system.
    tidy: bool,
    names: Vec<String>,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn gap(&mut self, usual: &str) {
        let gap = match self.tidy || !self.random.one_in(3) {
            true => usual,
            false => self.random.of(&GAPS),
        };
        self.put(gap);
    }

    fn odd(&mut self, n: u64) -> bool {
        !self.tidy && self.random.one_in(n)
    }

    fn file(&mut self) {
        let bands = match self.random.index(8) {
            0 => 0,
            1 => 15 + self.random.index(40),
            _ => 1 + self.random.index(12),
        };
        for i in 0..bands {
            let name = match self.random.index(3) {
                0 => any_name(self.random),
                1 => format!("v{i}"),
                _ => (0..1 + self.random.index(4))
                    .map(|_| *self.random.of(&['a', 'b', 'c']))
                    .collect(),
            };
            self.names.push(name);
        }
        self.headers();
        let samples = match self.random.index(8) {
            0 => self.random.index(2),
            1 => 10 + self.random.index(30),
            _ => 2 + self.random.index(6),
        };
        let mut time = match self.random.index(6) {
            0 => self.random.index(100_000) as f64 / 10.0,
            1 => self.random.index(1000) as f64 * 1e4,
            _ => 0.0,
        };
        let pace = *self.random.of(&[0.0, 0.001, 0.05, 0.1, 1.0, 1.0, 7.0, 1e4]);
        for _ in 0..samples {
            self.sample(time);
            time += pace * (self.random.index(1000) as f64 / 500.0);
            if self.random.one_in(8) {
                let mark = time - self.random.index(10) as f64 * pace / 5.0;
                let mark = format!("{:.6}", mark.max(0.0));
                self.timed("MARK", &mark);
            }
            if self.odd(40) {
                self.row();
            }
            if self.odd(100) {
                time -= pace;
            }
        }
    }

    fn headers(&mut self) {
        let mut headers = vec!["JOB", "DATE", "SAMPLE_UNIT", "VALUE_UNIT"];
        if self.odd(40) {
            headers.remove(self.random.index(4));
        }
        if self.odd(10) {
            headers.swap(0, self.random.index(3));
        }
        if self.odd(10) {
            headers.push("JOB");
        }
        for header in headers {
            self.put(header);
            self.gap(" ");
            let text = match (header, self.random.index(8)) {
                ("SAMPLE_UNIT", 1..) => "seconds".to_owned(),
                ("VALUE_UNIT", 1..) => "bytes".to_owned(),
                (_, 0) => "w (odd) \"\"quote\"\" \\ ".to_owned(),
                (_, 1) => "x".repeat(30 + self.random.index(60)),
                (_, 2) if !self.tidy => "two\nlines é".to_owned(),
                (_, 3) => String::new(),
                _ => "prog 1 2 +RTS -hy -i0.01".to_owned(),
            };
            self.put(&format!("\"{text}\""));
            self.gap("\n");
        }
    }

    fn time(&mut self, time: f64) -> String {
        match self.random.index(if self.tidy { 1 } else { 16 }) {
            1 => format!("{time:.1}"),
            2 => format!("{time:.12}"),
            3 => format!("{}.", time.trunc()),
            4 => format!("{time:.3}.7"),
            5 if self.random.one_in(30) => format!("{}", time.trunc()),
            5 if self.random.one_in(30) => format!("-{time:.3}"),
            5 if self.random.one_in(30) => format!("{time:.3}e1"),
            _ => format!("{time:.6}"),
        }
    }

    fn timed(&mut self, word: &str, time: &str) {
        self.put(word);
        self.gap(" ");
        self.put(time);
        self.gap("\n");
    }

    fn sample(&mut self, time: f64) {
        let begin = self.time(time);
        if !self.odd(60) {
            self.timed("BEGIN_SAMPLE", &begin);
        }
        if self.odd(60) {
            self.timed("BEGIN_SAMPLE", &begin);
        }
        if !self.random.one_in(8) {
            let rows = self.names.len();
            for _ in 0..rows {
                if !self.random.one_in(4) {
                    self.row();
                }
            }
        }
        if self.odd(150) {
            self.timed("MARK", &begin);
        }
        if self.odd(200) {
            self.put("\"stray\" 5\n");
        }
        if !self.odd(60) {
            self.timed("END_SAMPLE", &begin);
        }
    }

    fn row(&mut self) {
        if self.names.is_empty() {
            return;
        }
        let at = self.random.index(self.names.len());
        let name = self.names[at].clone();
        self.put(&name);
        if self.random.one_in(600) {
            self.put(" with blanks");
        }
        self.gap("\t");
        let value = match self.random.index(24) {
            0 => "0".to_owned(),
            1 => self.random.next().to_string(),
            2 => (self.random.next() >> 11).to_string(),
            3 if self.odd(6) => format!("{}{}", self.random.next(), self.random.next()),
            4 if self.odd(30) => "3.5".to_owned(),
            5 if self.odd(30) => "-5".to_owned(),
            6 if self.odd(6) => format!("{}b{}", self.random.index(50), " 7"),
            7..=12 => (at as u64 * 10).to_string(),
            13..=16 => self.random.index(100_000_000).to_string(),
            _ => self.random.index(1000).to_string(),
        };
        self.put(&value);
        self.gap("\n");
    }
}
