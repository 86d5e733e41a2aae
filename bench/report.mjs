// Turns times into figures, compares them with the targets of the product, and prints both.

const TARGETS = {
  load: { batched: 2, rowByRow: 8, floor: 1.4 },
  query: { peer: 1.5, floor: 1.4 },
  pointQuery: { peer: 1.15 },
  gate_us: 60,
  startup_ms: 100,
  gzipped_bytes: 2_000_000,
};

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function summary(values) {
  return { median: median(values), fastest: Math.min(...values), slowest: Math.max(...values) };
}

/** Returns the median over the rounds of numerator / denominator in the same round. */
export function ratioOf(numerator, denominator) {
  return median(numerator.map((time, round) => time / denominator[round]));
}

export function printCase({ title, times_ms }) {
  console.log(`\n${title}`);
  const floor = fastestFloor(times_ms);
  for (const [name, times] of Object.entries(times_ms)) {
    const { median: middle, fastest } = summary(times);
    const digits = middle < 10 ? 3 : 1;
    const mark = name === floor ? "  <- the floor" : "";
    console.log(`  ${name.padEnd(52)} median ${middle.toFixed(digits).padStart(9)} ms   fastest ${fastest.toFixed(digits).padStart(9)} ms${mark}`);
  }
}

function fastestFloor(times_ms) {
  const floors = Object.keys(times_ms).filter((name) => name.startsWith("floor"));
  return floors.sort((a, b) => median(times_ms[a]) - median(times_ms[b]))[0];
}

export function verdict(text, passed) {
  console.log(`  ${passed ? "pass" : "MISS"}  ${text}`);
  return { text, passed };
}

export function atLeast(title, ratio, target) {
  return verdict(`${title}: ${ratio.toFixed(2)}x, target at least ${target}x`, ratio >= target);
}

export function atMost(title, value, target, unit) {
  return verdict(`${title}: ${value.toFixed(2)}${unit}, target at most ${target}${unit}`, value <= target);
}

function judgeLoad({ title, times_ms }) {
  return [
    atLeast(`${title}, faster than the peer's batches`, ratioOf(times_ms["peer, batched"], times_ms.ours), TARGETS.load.batched),
    atLeast(`${title}, faster than the peer's single rows`, ratioOf(times_ms["peer, row by row"], times_ms.ours), TARGETS.load.rowByRow),
    atMost(`${title}, time of the floor`, ratioOf(times_ms.ours, times_ms[fastestFloor(times_ms)]), TARGETS.load.floor, "x"),
  ];
}

function judgeTimes([smallLoad, largeLoad, query, pointQuery]) {
  return [
    ...judgeLoad(smallLoad),
    ...judgeLoad(largeLoad),
    atLeast(`${query.title}, faster than the peer`, ratioOf(query.times_ms.peer, query.times_ms.ours), TARGETS.query.peer),
    atMost(`${query.title}, time of the floor`, ratioOf(query.times_ms.ours, query.times_ms[fastestFloor(query.times_ms)]), TARGETS.query.floor, "x"),
    atMost(`${pointQuery.title}, time of the peer`, ratioOf(pointQuery.times_ms.ours, pointQuery.times_ms.peer), TARGETS.pointQuery.peer, "x"),
  ];
}

function judge({ cases, coldStart, gate_us, sizes }) {
  const { ours, "empty Worker": empty } = coldStart.times_ms;
  const startup_ms = median(ours.map((time, round) => time - empty[round]));
  const verdicts = [
    ...judgeTimes(cases),
    atMost("startup of the script (cold start less an empty Worker's)", startup_ms, TARGETS.startup_ms, " ms"),
    atMost("bundle gzipped", sizes.ours.gzipped_bytes / 1e6, TARGETS.gzipped_bytes / 1e6, " MB"),
  ];
  if (gate_us !== undefined) {
    verdicts.push(atMost("gate, one statement of 500 bytes", gate_us.median, TARGETS.gate_us, " µs"));
  }
  return verdicts;
}

/** Prints the figures and adds the derived ones to the report: the verdicts. */
export function printReport(report) {
  const { machine, rounds, cases, coldStart, gate_us, memory_mib, sizes } = report;
  console.log(`${machine.cores} cores of ${machine.cpu}, Node ${machine.node}, ${rounds} rounds, everything in one run`);
  [...cases, coldStart].forEach(printCase);
  console.log("\nmemory of the workerd process, and bundle");
  for (const [name, { before, after }] of Object.entries(memory_mib)) {
    const memory = before === undefined ? "not measured here" : `${before.toFixed(0)} MiB before the loads, ${after.toFixed(0)} MiB after`;
    const { raw_bytes, gzipped_bytes } = sizes[name];
    console.log(`  ${name.padEnd(6)} ${memory}; bundle ${raw_bytes} bytes, ${gzipped_bytes} gzipped`);
  }
  console.log(gate_us === undefined
    ? "\ngate: not measured, the test build is not there (scripts/build test)"
    : `\ngate, one statement of 500 bytes in wasm: median ${gate_us.median.toFixed(1)} µs, fastest ${gate_us.fastest.toFixed(1)} µs`);
  if (sizes.ours === undefined) {
    console.log("\nours: not measured, the build is not there (make build)");
    return;
  }
  console.log("\ntargets");
  report.verdicts = judge(report);
}
