//! A name for a finding that survives from one run to the next.
//!
//! The fingerprint hashes what [`Identity`](watertight_finding::Identity) promises to be stable: the rule,
//! the function, the acquisition without its layout, and the ordinal. No file, line or column goes in, so it
//! survives inserted lines, renamed files and reformatting. Each part is hashed with its length in front, so
//! that no two lists of parts can run into each other.
//!
//! What must hold: the same inputs give the same fingerprint in every later version. When the inputs have to
//! change, [`SCHEME`] changes with them, and stores and other tools see that they cannot compare.
//!
//! ```
//! use watertight_finding::{Identity, RuleId};
//! use watertight_report::fingerprint_of;
//! let rule = RuleId::new("memory-leak");
//! let a = fingerprint_of(&rule, &Identity::new("load", "copy = strdup(name)"));
//! let b = fingerprint_of(&rule, &Identity::new("load", "copy=strdup( name )"));
//! assert_eq!(a, b);
//! ```

use std::fmt;

use watertight_finding::{Finding, Identity, RuleId};

/// The name and version of the way fingerprints are made, as it stands in SARIF and in stores.
pub const SCHEME: &str = "watertight/v1";

/// 128 bits, printed as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 16]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The fingerprint of a finding.
#[must_use]
pub fn fingerprint(finding: &Finding) -> Fingerprint {
    fingerprint_of(&finding.rule, &finding.identity)
}

/// The fingerprint of what a rule says about an acquisition.
#[must_use]
pub fn fingerprint_of(rule: &RuleId, identity: &Identity) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    let ordinal = identity.ordinal.to_string();
    for part in [SCHEME, rule.as_str(), &identity.function, &identity.acquisition, &ordinal] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Fingerprint(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rule: &'static str, function: &str, acquisition: &str, ordinal: u32) -> String {
        fingerprint_of(&RuleId::new(rule), &Identity::new(function, acquisition).nth(ordinal)).to_string()
    }

    #[test]
    fn fingerprints_do_not_change_between_versions() {
        assert_eq!(of("memory-leak", "load", "copy=strdup(name)", 0), "fff46ad96fafa08abcbd796a99bcc35a");
    }

    #[test]
    fn every_part_counts_and_parts_do_not_run_into_each_other() {
        let all = [
            of("a", "b", "c", 0),
            of("a", "b", "c", 1),
            of("a", "b", "d", 0),
            of("a", "x", "c", 0),
            of("z", "b", "c", 0),
            of("a", "bc", "", 0),
            of("a", "", "bc", 0),
        ];
        let mut distinct = all.to_vec();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len());
    }
}
