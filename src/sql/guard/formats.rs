//! Date formats of three families of databases to one: `%Y %y %m %d %H %M %S %%` and plain signs.

use super::expression;
use crate::sql::Refusal;

/// Which function the format was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// `DATE_FORMAT`: `%i` is the minute.
    Mysql,
    /// `strftime`: `%M` is the minute.
    Strftime,
    /// `TO_CHAR`: `YYYY-MM-DD`.
    Letters,
}

/// The format in `strftime` words, or a refusal of what has no exact counterpart.
pub(super) fn neutral(format: &str, family: Family) -> Result<String, Refusal> {
    let read = match family {
        Family::Letters => letters(format),
        family => percents(format, family),
    };
    read.ok_or_else(|| {
        expression(&format!("the date format {format:?}"))
            .hinted("use year, month, day, hour, minute, second in digits")
    })
}

fn percents(format: &str, family: Family) -> Option<String> {
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let word = match (chars.next()?, family) {
            ('i', Family::Mysql) => 'M',
            ('s', Family::Mysql) => 'S',
            ('M', Family::Mysql) => return None,
            (word @ ('Y' | 'y' | 'm' | 'd' | 'H' | 'M' | 'S' | '%'), _) => word,
            _ => return None,
        };
        out.push('%');
        out.push(word);
    }
    Some(out)
}

fn letters(format: &str) -> Option<String> {
    const WORDS: [(&str, &str); 8] = [
        ("YYYY", "%Y"),
        ("YY", "%y"),
        ("MM", "%m"),
        ("MI", "%M"),
        ("DD", "%d"),
        ("HH24", "%H"),
        ("SS", "%S"),
        ("%", "%%"),
    ];
    let mut out = String::new();
    let mut rest = format.to_uppercase();
    while !rest.is_empty() {
        if let Some((word, neutral)) = WORDS.iter().find(|(word, _)| rest.starts_with(word)) {
            out.push_str(neutral);
            rest.drain(..word.len());
            continue;
        }
        let sign = rest.remove(0);
        if sign.is_ascii_alphabetic() {
            return None;
        }
        out.push(sign);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{Family, neutral};

    #[test]
    fn each_family_says_the_same_in_its_own_words() {
        let table = [
            ("%Y-%m", Family::Mysql, Some("%Y-%m")),
            ("%Y-%m-%d %H:%i:%s", Family::Mysql, Some("%Y-%m-%d %H:%M:%S")),
            ("%M %Y", Family::Mysql, None),
            ("%H:%M", Family::Strftime, Some("%H:%M")),
            ("%W", Family::Strftime, None),
            ("YYYY年MM月", Family::Letters, Some("%Y年%m月")),
            ("YYYY-MM-DD HH24:MI", Family::Letters, Some("%Y-%m-%d %H:%M")),
            ("Month", Family::Letters, None),
        ];
        for (format, family, want) in table {
            assert_eq!(neutral(format, family).ok().as_deref(), want, "{format}");
        }
    }
}
