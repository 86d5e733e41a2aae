//! Lists the addresses from which control comes to an address. Here a subroutine may return to any
//! of its callers.

use std::ops::Range;

use super::code::{Calls, Code};
use super::opcode::Flow;

/// The ways to one target.
pub struct Way<'w> {
    pub target: usize,
    /// True if control comes by the return of a subroutine, or by a switch between a coroutine and
    /// its reader.
    pub returns: bool,
    /// The addresses that they come from, in order.
    pub sources: &'w [usize],
}

impl Way<'_> {
    /// Returns true if one of the ways comes from an address that is outside of `inside` and is not
    /// `except`.
    pub fn comes_from_outside(&self, inside: &Range<usize>, except: Option<usize>) -> bool {
        let other = |source: &&usize| Some(**source) != except;
        let first = self.sources.iter().find(other);
        let last = self.sources.iter().rfind(other);
        first.is_some_and(|first| *first < inside.start)
            || last.is_some_and(|last| *last >= inside.end)
    }
}

/// All ways of a program, by target.
#[derive(Debug, Default)]
pub struct Ways {
    direct: Vec<(usize, bool, Vec<usize>)>,
    /// Targets of crossings, each with the number of the crossing.
    crossed: Vec<(usize, usize)>,
    /// The sources of each crossing; the flag is [`Way::returns`].
    crossings: Vec<(bool, Vec<usize>)>,
}

impl Ways {
    pub fn of(code: &Code<'_>, calls: &Calls) -> Self {
        let numbers = calls.crossings();
        let mut ways = Self {
            crossings: numbers.clone().map(|_| (false, Vec::new())).collect(),
            ..Self::default()
        };
        for (number, address) in numbers.clone().enumerate() {
            let targets = calls.crossing(address).iter();
            ways.crossed.extend(targets.map(|target| (*target, number)));
        }
        let mut direct: Vec<(usize, bool, usize)> = Vec::new();
        let mut successors = Vec::new();
        for (from, instruction) in code.instructions.iter().enumerate() {
            if !code.meter.takes(3) {
                break;
            }
            let returns = matches!(instruction.opcode.flow(), Flow::Return | Flow::Yield);
            successors.clear();
            code.any_successors(from, calls, None, false, &mut successors);
            for (target, _) in successors.iter().copied() {
                match target.checked_sub(numbers.start) {
                    None => direct.push((target, returns, from)),
                    Some(number) => {
                        if let Some((known, sources)) = ways.crossings.get_mut(number) {
                            *known = returns;
                            sources.push(from);
                        }
                    }
                }
            }
        }
        direct.sort_unstable();
        ways.direct = direct
            .chunk_by(|one, next| (one.0, one.1) == (next.0, next.1))
            .filter_map(|same| {
                let (target, returns, _) = *same.first()?;
                let sources = same.iter().map(|(_, _, from)| *from).collect();
                Some((target, returns, sources))
            })
            .collect();
        ways.crossed.sort_unstable();
        ways
    }

    /// Returns the ways into a range of addresses.
    pub fn into(&self, inside: Range<usize>) -> impl Iterator<Item = Way<'_>> {
        let end = inside.end;
        let first = self.direct.partition_point(|way| way.0 < inside.start);
        let direct = self
            .direct
            .iter()
            .skip(first)
            .map(|(target, returns, sources)| Way {
                target: *target,
                returns: *returns,
                sources,
            });
        let first = self.crossed.partition_point(|way| way.0 < inside.start);
        let crossed = self
            .crossed
            .iter()
            .skip(first)
            .filter_map(|(target, number)| {
                let (returns, sources) = self.crossings.get(*number)?;
                Some(Way {
                    target: *target,
                    returns: *returns,
                    sources,
                })
            });
        let before_end = move |way: &Way<'_>| way.target < end;
        direct
            .take_while(before_end)
            .chain(crossed.take_while(before_end))
    }
}
