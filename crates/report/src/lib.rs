//! Text, JSON and SARIF from findings.
