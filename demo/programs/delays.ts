interface Hour { hour: number; flights: number; mean_delay: number; hour_late: number; longest: number }

async function main(): Promise<{ hours: Hour[]; worst: string }> {
  const hours: Hour[] = await helpers.db.query(`
    SELECT CAST(time AS INTEGER) AS hour, count(*) AS flights, avg(delay) AS mean_delay, sum(delay > 60) AS hour_late,
           max(distance) AS longest
    FROM delays GROUP BY hour ORDER BY mean_delay DESC, hour`);
  const [worst] = hours;
  return { hours, worst: `${worst.hour}:00, ${worst.mean_delay.toFixed(1)} minutes late on average` };
}
