//! x
pub(crate) fn program(seed: u64) -> String {
    format!("int main(void) {{ return {}; }}", seed % 100)
}
