async () => {
  const rows = await helpers.db.query("SELECT origin, destination, distance FROM flights WHERE delay > 30");
  return rows.map((flight) => ({ ...flight, kilometres: Math.round(flight.distance * 1.609344) }));
}
