//! Durations as operators write them: `"90s"`, `"1m30s"`, `"500ms"`, `"7d"`.

use std::time::Duration;

/// Longest first where one unit begins like another.
const UNITS: [(&str, u64); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
    ("d", 86_400 * 1_000_000_000),
];

/// The grammar of Go's `time.ParseDuration` without signs, and with days. `None` for anything else, for a negative
/// one, and for more than [`u64::MAX`] nanoseconds.
pub fn parse_duration(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    if text.is_empty() {
        return None;
    }
    let mut rest = text;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (nanoseconds, after) = parse_term(rest)?;
        total = total.checked_add(nanoseconds)?;
        rest = after;
    }
    Some(Duration::from_nanos(total))
}

fn parse_term(text: &str) -> Option<(u64, &str)> {
    let (whole, after_whole) = split_digits(text);
    let (fraction, after_number) = match after_whole.strip_prefix('.') {
        Some(after_point) => split_digits(after_point),
        None => ("", after_whole),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (unit, rest) = split_unit(after_number)?;
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let nanoseconds = whole
        .checked_mul(unit)?
        .checked_add(fraction_of(fraction, unit))?;
    Some((nanoseconds, rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

fn split_unit(text: &str) -> Option<(u64, &str)> {
    UNITS
        .iter()
        .filter_map(|(name, nanoseconds)| {
            Some((name.len(), *nanoseconds, text.strip_prefix(name)?))
        })
        .max_by_key(|(length, _, _)| *length)
        .map(|(_, nanoseconds, rest)| (nanoseconds, rest))
}

fn fraction_of(digits: &str, unit: u64) -> u64 {
    let mut scale = u128::from(unit);
    let mut sum: u128 = 0;
    let mut divisor: u128 = 1;
    // Eighteen decimals of a day are below a nanosecond; more would only overflow.
    for digit in digits.bytes().take(18) {
        divisor *= 10;
        sum = sum * 10 + u128::from(digit - b'0');
    }
    scale = scale * sum / divisor;
    u64::try_from(scale).unwrap_or(u64::MAX)
}

/// The shortest usual form, to the millisecond: `1m30s`, `10m`, `4s`, `1.5s`, `500ms`.
pub fn format_duration(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        return format!("{}ms", duration.as_millis());
    }
    let seconds = duration.as_secs();
    let (hours, minutes) = (seconds / 3_600, seconds % 3_600 / 60);
    let mut text = String::new();
    if hours > 0 {
        text += &format!("{hours}h");
    }
    if minutes > 0 {
        text += &format!("{minutes}m");
    }
    let (rest, milliseconds) = (seconds % 60, duration.subsec_millis());
    if milliseconds > 0 {
        let fraction = format!("{milliseconds:03}");
        text += &format!("{rest}.{}s", fraction.trim_end_matches('0'));
    } else if rest > 0 {
        text += &format!("{rest}s");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> Option<u128> {
        parse_duration(text).map(|d| d.as_millis())
    }

    #[test]
    fn go_durations_and_days_are_understood() {
        assert_eq!(ms("90s"), Some(90_000));
        assert_eq!(ms("1m30s"), Some(90_000));
        assert_eq!(ms("500ms"), Some(500));
        assert_eq!(ms("1.5s"), Some(1_500));
        assert_eq!(ms(".5m"), Some(30_000));
        assert_eq!(ms("1h0m1s"), Some(3_601_000));
        assert_eq!(ms("7d"), Some(7 * 86_400_000));
        assert_eq!(ms("1500us"), Some(1));
        assert_eq!(ms("1500µs"), Some(1));
        assert_eq!(ms("0"), Some(0));
        assert_eq!(ms("0s"), Some(0));
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            " ",
            "5",
            "s",
            ".s",
            "-1s",
            "+1s",
            "1x",
            "1s ",
            "1 s",
            "1s2",
            "99999999999999999999s",
            "300000000h",
            "1e3s",
            "1,5s",
        ] {
            assert_eq!(parse_duration(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_fraction_of_any_length_is_bounded() {
        assert_eq!(ms(&format!("0.{}s", "9".repeat(500))), Some(999));
    }

    #[test]
    fn text_form_can_be_read_back() {
        for text in ["1m30s", "10m", "4s", "1.5s", "500ms", "1h", "2h5s", "0ms"] {
            assert_eq!(format_duration(parse_duration(text).unwrap()), text);
        }
    }
}
