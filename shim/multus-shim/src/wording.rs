//! Words that must not reach a runtime on DEL.

use multus_common::cni_error::CniError;

/// Phrases by which go-cni, and so containerd, takes a failed DEL for a success (go-cni `Remove`), and what is said instead.
/// The daemon says the same (`attachments/runtime-wording.ts`).
const REPLACEMENTS: [(&str, &str); 2] = [
    ("no such file or directory", "file or directory is missing"),
    ("not found", "missing"),
];

/// The same error without a phrase that a runtime takes for success, in any letter case.
pub fn keep_out_of_success(error: CniError) -> CniError {
    CniError {
        code: error.code,
        msg: reworded(&error.msg),
        details: error.details.as_deref().map(reworded),
    }
}

fn reworded(text: &str) -> String {
    REPLACEMENTS
        .iter()
        .fold(text.to_owned(), |kept, (phrase, substitute)| {
            replace(&kept, phrase, substitute)
        })
}

fn replace(text: &str, phrase: &str, substitute: &str) -> String {
    // ASCII lower case keeps every byte's place.
    let lower = text.to_ascii_lowercase();
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for (start, _) in lower.match_indices(phrase) {
        kept += &text[end..start];
        kept += substitute;
        end = start + phrase.len();
    }
    kept += &text[end..];
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains_phrase(text: &str) -> bool {
        let lower = text.to_lowercase();
        REPLACEMENTS
            .iter()
            .any(|(phrase, _)| lower.contains(phrase))
    }

    #[test]
    fn both_phrases_go_wherever_they_stand_and_however_they_are_written() {
        let error = CniError::new(
            7,
            "Link Not Found: open /x: No such file or directory, NOT FOUND",
        )
        .with_details("é not found é");
        let kept = keep_out_of_success(error);
        assert_eq!(
            kept.msg,
            "Link missing: open /x: file or directory is missing, missing"
        );
        assert_eq!(kept.details.as_deref(), Some("é missing é"));
        assert_eq!(kept.code, 7);
    }

    #[test]
    fn nested_phrases_do_not_come_together() {
        for text in [
            "not not foundfound",
            "no such file or no such file or directory",
            "not found not found",
            "no such file or directorynot found",
            "nOt FoUnD",
        ] {
            assert!(!contains_phrase(&reworded(text)), "{text}");
            assert_eq!(reworded(&reworded(text)), reworded(text));
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        assert_eq!(
            reworded("the İ device is busy: notfound"),
            "the İ device is busy: notfound"
        );
    }
}
