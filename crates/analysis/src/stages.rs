//! What each stage of a run cost: time, memory, and how much it had to do.
//!
//! A [`Stage`] has the wall time it took, the peak memory of the process when it ended (so the difference to the row
//! above is what this stage added), and named counts. [`Stages`] prints as a table and as JSON. Times differ from run
//! to run; they are never part of a result.

use std::fmt;
use std::time::{Duration, Instant};

/// One stage that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// A word, as in the list of stages in the function `run`.
    pub name: &'static str,
    /// Wall time.
    pub time: Duration,
    /// The most memory the process has had so far, in bytes; absent where the system does not tell.
    pub peak: Option<u64>,
    /// How much there was to do, in the order in which people should read it.
    pub counts: Vec<(&'static str, u64)>,
    /// Where the time went, added up over all threads, so that it may be more than `time`.
    pub parts: Vec<(&'static str, Duration)>,
}

/// The stages of a run, in the order in which they ran.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stages(pub Vec<Stage>);

impl Stages {
    /// Runs a stage. The work says what it counted beside its result.
    pub fn measure<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&mut Vec<(&'static str, u64)>) -> T,
    ) -> T {
        let mut counts = Vec::new();
        let start = Instant::now();
        let result = work(&mut counts);
        self.0.push(Stage { name, time: start.elapsed(), peak: peak_memory(), counts, parts: Vec::new() });
        result
    }

    /// Says where the time of the last stage went.
    pub fn divide(&mut self, parts: &[(&'static str, Duration)]) {
        if let Some(stage) = self.0.last_mut() {
            stage.parts.extend_from_slice(parts);
        }
    }

    /// The time of all stages together.
    #[must_use]
    pub fn total(&self) -> Duration {
        // What is part of another stage is counted there.
        self.0.iter().filter(|stage| !stage.name.starts_with("of it")).map(|stage| stage.time).sum()
    }

    /// The stages as one line of JSON: `stages` (each with `name`, `seconds`, `peakBytes`, `counts`, and `parts`
    /// in seconds over all threads), `seconds`, `peakBytes`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let stages: Vec<serde_json::Value> = self
            .0
            .iter()
            .map(|stage| {
                let counts = stage.counts.iter().map(|(name, count)| ((*name).to_owned(), (*count).into()));
                let parts =
                    stage.parts.iter().map(|(name, time)| ((*name).to_owned(), time.as_secs_f64().into()));
                serde_json::json!({
                    "name": stage.name,
                    "seconds": stage.time.as_secs_f64(),
                    "peakBytes": stage.peak,
                    "counts": serde_json::Value::Object(counts.collect()),
                    "parts": serde_json::Value::Object(parts.collect()),
                })
            })
            .collect();
        let peak = self.0.iter().filter_map(|stage| stage.peak).max();
        let whole = serde_json::json!({
            "stages": stages,
            "seconds": self.total().as_secs_f64(),
            "peakBytes": peak,
        });
        whole.to_string()
    }
}

impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let peak = |bytes: Option<u64>| bytes.map_or("?".to_owned(), |bytes| format!("{} MB", bytes >> 20));
        writeln!(f, "{:<10} {:>10} {:>9}  counts", "stage", "time", "peak")?;
        for stage in &self.0 {
            let counts: Vec<String> =
                stage.counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
            let seconds = stage.time.as_secs_f64();
            let row =
                format!("{:<10} {seconds:>8.3} s {:>9}  {}", stage.name, peak(stage.peak), counts.join(", "));
            writeln!(f, "{}", row.trim_end())?;
            for (name, time) in &stage.parts {
                writeln!(f, "  {:<8} {:>8.3} s  over all threads", name, time.as_secs_f64())?;
            }
        }
        let most = self.0.iter().filter_map(|stage| stage.peak).max();
        writeln!(f, "{:<10} {:>8.3} s {:>9}", "total", self.total().as_secs_f64(), peak(most))
    }
}

/// The most memory this process has had so far, in bytes, where the system tells.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages() -> Stages {
        let stage = |name, time, peak, counts, parts| Stage {
            name,
            time: Duration::from_millis(time),
            peak,
            counts,
            parts,
        };
        let parts = vec![("verify", Duration::from_millis(30))];
        Stages(vec![
            stage("lower", 1250, Some(64 << 20), vec![("units", 2), ("bytes", 4096)], parts),
            stage("join", 3, None, vec![], vec![]),
        ])
    }

    #[test]
    fn the_table_has_a_row_for_each_stage_and_one_for_all() {
        let expected = "\
stage            time      peak  counts
lower         1.250 s     64 MB  2 units, 4096 bytes
  verify      0.030 s  over all threads
join          0.003 s         ?
total         1.253 s     64 MB
";
        assert_eq!(stages().to_string(), expected);
    }

    #[test]
    fn json_says_the_same() {
        let json: serde_json::Value = serde_json::from_str(&stages().to_json()).unwrap();
        assert_eq!(json["stages"][0]["name"], "lower");
        assert_eq!(json["stages"][0]["counts"]["bytes"], 4096);
        assert!((json["stages"][0]["parts"]["verify"].as_f64().unwrap() - 0.03).abs() < 1e-9);
        assert_eq!(json["stages"][1]["peakBytes"], serde_json::Value::Null);
        assert_eq!(json["peakBytes"], 64 << 20);
        assert!((json["seconds"].as_f64().unwrap() - 1.253).abs() < 1e-9);
    }

    #[test]
    fn measuring_keeps_the_result_and_the_counts() {
        let mut stages = Stages::default();
        let result = stages.measure("count", |counts| {
            counts.push(("things", 3));
            "done"
        });
        assert_eq!(result, "done");
        assert_eq!(stages.0[0].counts, [("things", 3)]);
        #[cfg(target_os = "linux")]
        assert!(stages.0[0].peak.unwrap() > 1 << 20);
    }
}
