//! The keywords.

/// The words that begin a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// A header line.
    Header(Header),
    /// `MARK`.
    Mark,
    /// `BEGIN_SAMPLE`.
    Begin,
    /// `END_SAMPLE`.
    End,
}

/// The four header lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// `JOB`.
    Job,
    /// `DATE`.
    Date,
    /// `SAMPLE_UNIT`.
    SampleUnit,
    /// `VALUE_UNIT`.
    ValueUnit,
}

impl Header {
    /// All of them, in the order in which hp2ps reports them missing
    /// (`docs/format/hp.md#the-complete-file`).
    pub const ALL: [Header; 4] = [Header::Job, Header::Date, Header::ValueUnit, Header::SampleUnit];

    /// The keyword.
    pub fn word(self) -> &'static str {
        Keyword::Header(self).word()
    }
}

impl Keyword {
    /// All of them, the most frequent first.
    pub const ALL: [Keyword; 7] = [
        Keyword::Begin,
        Keyword::End,
        Keyword::Mark,
        Keyword::Header(Header::Job),
        Keyword::Header(Header::Date),
        Keyword::Header(Header::SampleUnit),
        Keyword::Header(Header::ValueUnit),
    ];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Keyword::Header(Header::Job) => "JOB",
            Keyword::Header(Header::Date) => "DATE",
            Keyword::Header(Header::SampleUnit) => "SAMPLE_UNIT",
            Keyword::Header(Header::ValueUnit) => "VALUE_UNIT",
            Keyword::Mark => "MARK",
            Keyword::Begin => "BEGIN_SAMPLE",
            Keyword::End => "END_SAMPLE",
        }
    }

    /// The keyword that `word` is, exactly.
    pub fn of(word: &[u8]) -> Option<Self> {
        Keyword::ALL.into_iter().find(|keyword| keyword.word().as_bytes() == word)
    }

    /// Whether `word` may be a keyword whose end is missing.
    pub fn may_begin_with(word: &[u8]) -> bool {
        Keyword::ALL.iter().any(|keyword| keyword.word().as_bytes().starts_with(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_exact_words() {
        for keyword in Keyword::ALL {
            assert_eq!(Keyword::of(keyword.word().as_bytes()), Some(keyword));
        }
        for word in [&b"JOBS"[..], b"job", b"", b"X_RANGE", b"BEGIN_SAMPL"] {
            assert_eq!(Keyword::of(word), None);
        }
        assert!(Keyword::may_begin_with(b"BEGIN_SAMPL") && !Keyword::may_begin_with(b"MARKS"));
    }
}
