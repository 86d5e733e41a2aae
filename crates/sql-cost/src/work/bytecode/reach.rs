//! Decides if control may come from one address of a program to another without passing certain
//! addresses.
//!
//! The ways from several starts are explored together, once, and followed backwards from each goal.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::code::{Calls, Code, PathState};

/// The largest number of states in one exploration. Above it, each start is assumed to reach each
/// goal.
const MAX_STATES: usize = 100_000;

/// The number of steps that one state takes from the meter of the analysis.
const STEPS_OF_A_STATE: usize = 12;

/// The result of an exploration from several starts. A state is an address, together with facts
/// about the path that led to it.
struct Exploration {
    /// The address of each state.
    addresses: Vec<usize>,
    /// The states of each address.
    at: HashMap<usize, Vec<usize>, Quick>,
    before: Vec<Vec<usize>>,
    /// The states directly after each start.
    first: Vec<Vec<usize>>,
}

impl Exploration {
    /// Explores from the starts. Returns `None` if there are too many states.
    fn from<S: Copy + Eq + Hash>(
        code: &Code<'_>,
        starts: &[(usize, S)],
        walls: &BTreeSet<usize>,
        successors: impl Fn((usize, S), &mut Vec<(usize, S)>),
    ) -> Option<Self> {
        let mut found = Self {
            addresses: Vec::new(),
            at: HashMap::default(),
            before: Vec::new(),
            first: Vec::new(),
        };
        let mut states: Vec<(usize, S)> = Vec::new();
        let mut numbers: HashMap<(usize, S), usize, Quick> = HashMap::default();
        let mut next = Vec::new();
        let mut number_of = |state: (usize, S), found: &mut Self, states: &mut Vec<(usize, S)>| {
            *numbers.entry(state).or_insert_with(|| {
                states.push(state);
                found.addresses.push(state.0);
                found.before.push(Vec::new());
                let number = states.len() - 1;
                found.at.entry(state.0).or_default().push(number);
                number
            })
        };
        for start in starts {
            next.clear();
            successors(*start, &mut next);
            let first = next
                .iter()
                .map(|state| number_of(*state, &mut found, &mut states));
            let first = first.collect();
            found.first.push(first);
        }
        let mut done = 0;
        while let Some(state) = states.get(done).copied() {
            if states.len() > MAX_STATES || !code.meter.takes(STEPS_OF_A_STATE) {
                return None;
            }
            if !walls.contains(&state.0) {
                next.clear();
                successors(state, &mut next);
                for state in &next {
                    let number = number_of(*state, &mut found, &mut states);
                    if let Some(before) = found.before.get_mut(number) {
                        before.push(done);
                    }
                }
            }
            done += 1;
        }
        Some(found)
    }

    /// Returns, for each start, true if control may come from it to a goal.
    fn reaching(&self, code: &Code<'_>, goals: &[usize], walls: &BTreeSet<usize>) -> Vec<bool> {
        let mut reaches = vec![false; self.addresses.len()];
        let states = goals.iter().filter_map(|goal| self.at.get(goal)).flatten();
        let mut open: Vec<usize> = states.copied().collect();
        while let Some(state) = open.pop() {
            if !code.meter.takes(2) {
                return vec![true; self.first.len()];
            }
            match reaches.get_mut(state) {
                Some(known) if !*known => *known = true,
                _ => continue,
            }
            for before in self.before.get(state).into_iter().flatten() {
                let passes = self
                    .addresses
                    .get(*before)
                    .is_some_and(|at| !walls.contains(at));
                if passes {
                    open.push(*before);
                }
            }
        }
        let is_marked = |state: &usize| reaches.get(*state).copied().unwrap_or(true);
        let first = self.first.iter();
        first.map(|first| first.iter().any(is_marked)).collect()
    }
}

/// The ways from several starts, each up to the first of certain addresses, the walls.
pub struct Reach {
    starts: Vec<usize>,
    walls: BTreeSet<usize>,
    groups: Vec<Group>,
}

/// Starts in the same coroutine at which the same registers hold no call, and two explorations from
/// them: one that does not track callers (`anyhow`), and one that knows the last call
/// (`since_call`). Both contain every path that exists, because a subroutine called by an output or
/// an OR returns to its own caller.
struct Group {
    coroutine: Option<i64>,
    clear: BTreeSet<i64>,
    numbers: Vec<usize>,
    anyhow: OnceCell<Option<Exploration>>,
    since_call: OnceCell<Option<Exploration>>,
}

impl Reach {
    pub fn of(code: &Code<'_>, calls: &Calls, starts: &[usize], walls: &[usize]) -> Self {
        let mut alike: HashMap<(Option<i64>, BTreeSet<i64>), Vec<usize>> = HashMap::new();
        for (number, start) in starts.iter().enumerate() {
            let key = (code.coroutine_around(*start), calls.clear_at(*start));
            code.meter.takes(1 + key.1.len());
            alike.entry(key).or_default().push(number);
        }
        let groups = alike
            .into_iter()
            .map(|((coroutine, clear), numbers)| Group {
                coroutine,
                clear,
                numbers,
                anyhow: OnceCell::new(),
                since_call: OnceCell::new(),
            });
        Self {
            groups: groups.collect(),
            starts: starts.to_vec(),
            walls: walls.iter().copied().collect(),
        }
    }

    /// Returns, for each start, true if control may come from it to one of these addresses.
    pub fn reaching(&self, code: &Code<'_>, calls: &Calls, goals: &[usize]) -> Vec<bool> {
        let mut all = vec![false; self.starts.len()];
        for group in &self.groups {
            let anyhow = group.anyhow.get_or_init(|| self.anyhow(code, calls, group));
            let mut reaching = self.of_group(code, anyhow.as_ref(), group, goals);
            if reaching.contains(&true) {
                let since = group
                    .since_call
                    .get_or_init(|| self.since_call(code, calls, group));
                let known = self.of_group(code, since.as_ref(), group, goals);
                for (reaches, known) in reaching.iter_mut().zip(known) {
                    *reaches &= known;
                }
            }
            for (number, reaches) in group.numbers.iter().zip(reaching) {
                if let Some(slot) = all.get_mut(*number) {
                    *slot = reaches;
                }
            }
        }
        all
    }

    fn of_group(
        &self,
        code: &Code<'_>,
        explored: Option<&Exploration>,
        group: &Group,
        goals: &[usize],
    ) -> Vec<bool> {
        match explored {
            Some(explored) => explored.reaching(code, goals, &self.walls),
            None => vec![true; group.numbers.len()],
        }
    }

    fn starts_of<S: Copy>(&self, group: &Group, state: S) -> Vec<(usize, S)> {
        let numbers = group.numbers.iter();
        let starts = numbers.filter_map(|number| self.starts.get(*number));
        starts.map(|start| (*start, state)).collect()
    }

    fn anyhow(&self, code: &Code<'_>, calls: &Calls, group: &Group) -> Option<Exploration> {
        let starts = self.starts_of(group, false);
        Exploration::from(code, &starts, &self.walls, |(at, started), found| {
            code.any_successors(at, calls, group.coroutine, started, found);
        })
    }

    fn since_call(&self, code: &Code<'_>, calls: &Calls, group: &Group) -> Option<Exploration> {
        let starts = self.starts_of(group, PathState::default());
        Exploration::from(code, &starts, &self.walls, |(at, since), found| {
            code.successors_since_call(at, calls, group.coroutine, &group.clear, since, found);
        })
    }
}

/// A hasher for numbers that this module counts itself, so that nobody can choose them to collide.
/// It is faster than that of the standard library (the multiplication of "Fibonacci hashing" in D.
/// Knuth, "The Art of Computer Programming", 6.4).
#[derive(Debug, Clone, Copy, Default)]
pub struct QuickHasher(u64);

pub type Quick = BuildHasherDefault<QuickHasher>;

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number.cast_unsigned() as u64);
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }
}
