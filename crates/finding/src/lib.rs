//! Rules, findings and traces as plain values.
