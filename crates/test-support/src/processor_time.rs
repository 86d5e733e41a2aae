//! Processor time of a test's own thread. Other processes of the machine change it much less than
//! the time of a clock on the wall.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The moment at which a measurement began, in processor time of its thread.
pub struct ProcessorTime(Duration);

impl ProcessorTime {
    /// Begins a measurement.
    pub fn start() -> Self {
        Self(taken_by_thread())
    }

    /// Returns the processor time that this thread took since the measurement began.
    pub fn elapsed(&self) -> Duration {
        taken_by_thread() - self.0
    }
}

/// Returns the shortest processor time of several runs.
pub fn shortest_of(runs: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..runs).map(|_| {
        let begun = ProcessorTime::start();
        work();
        begun.elapsed()
    });
    times.min().unwrap_or_default()
}

fn taken_by_thread() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
