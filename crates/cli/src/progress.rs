//! A progress bar, on a terminal only.
//!
//! The bar lives on standard error, so it never mixes with results. In a pipe, and with `--quiet`, it is hidden. While
//! a build runs there is none: the build draws itself.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use watertight_analysis::Progress;
use watertight_capture::{Outcome, Phase};

/// Draws the progress of a run.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    pub(crate) fn new(quiet: bool) -> Bar {
        // The default target draws on standard error if it is a terminal, a few times per second.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        Bar(ProgressBar::with_draw_target(None, target))
    }

    fn style(&self, template: &str) {
        let style = ProgressStyle::with_template(template).expect("the templates below are well formed");
        self.0.set_style(style.progress_chars("=> "));
    }

    /// Removes the bar, before anything else is written.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl watertight_capture::Progress for Bar {
    fn phase(&self, _phase: Phase) {}

    fn start(&self, total: usize) {
        self.style("{msg:>10} [{bar:40}] {pos}/{len}");
        self.0.set_message("compiling");
        self.0.set_length(total as u64);
        self.0.set_position(0);
    }

    fn unit_done(&self, _name: &str, _outcome: Outcome) {
        self.0.inc(1);
    }

    fn finish(&self) {
        self.0.set_message("compiled");
    }
}

impl Progress for Bar {
    fn stage(&self, name: &'static str) {
        self.style("{msg:>10} {spinner} {elapsed}");
        self.0.set_message(name);
        self.0.enable_steady_tick(Duration::from_millis(200));
    }
}
