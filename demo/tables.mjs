// The tables of the demo: where their rows come from and how they get in.
//
// Small ones are created by hand and sent with batchInsert, the rest streams in, one in each format; the Worker infers those columns.

import { asNdjson, csvRecords, fileStream, records } from "./data.mjs";

/** Sent with batchInsert, after createTable. */
export const SMALL = {
  movies: {
    records: records("movies.json"),
    schema: `"Title" TEXT, "US Gross" INTEGER, "Worldwide Gross" INTEGER, "US DVD Sales" INTEGER, "Production Budget" INTEGER,
      "Release Date" TEXT, "MPAA Rating" TEXT, "Running Time min" INTEGER, "Distributor" TEXT, "Source" TEXT, "Major Genre" TEXT,
      "Creative Type" TEXT, "Director" TEXT, "Rotten Tomatoes Rating" INTEGER, "IMDB Rating" REAL, "IMDB Votes" INTEGER`,
  },
  cars: {
    records: records("cars.json"),
    schema: `Name TEXT NOT NULL, Miles_per_Gallon REAL, Cylinders INTEGER, Displacement REAL, Horsepower INTEGER, Weight_in_lbs INTEGER,
      Acceleration REAL, Year TEXT, Origin TEXT`,
  },
  gapminder: {
    records: records("gapminder.json"),
    schema: "year INTEGER, country TEXT, cluster INTEGER, pop INTEGER, life_expect REAL, fertility REAL, PRIMARY KEY (country, year)",
  },
};

const flights = records("flights-20k.json");

/** Streamed in with PUT …/rows?create=true. `types` is what the Worker should infer. */
export const STREAMED = {
  nations: {
    records: csvRecords("gapminder-health-income.csv").map((row) => ({
      ...row, income: Number(row.income), health: Number(row.health), population: Number(row.population),
    })),
    types: { country: "TEXT", income: "INTEGER", health: "REAL", population: "INTEGER", region: "TEXT" },
    upload: () => ({ body: fileStream("gapminder-health-income.csv"), type: "text/csv", from: "gapminder-health-income.csv" }),
  },
  airports: {
    records: csvRecords("airports.csv").map((row) => ({ ...row, latitude: Number(row.latitude), longitude: Number(row.longitude) })),
    types: { iata: "TEXT", name: "TEXT", city: "TEXT", state: "TEXT", country: "TEXT", latitude: "REAL", longitude: "REAL" },
    upload: () => ({ body: fileStream("airports.csv"), type: "text/csv", from: "airports.csv" }),
  },
  flights: {
    records: flights,
    types: { date: "TEXT", delay: "INTEGER", distance: "INTEGER", origin: "TEXT", destination: "TEXT" },
    upload: () => ({ body: asNdjson(flights), type: "application/x-ndjson", from: "flights-20k.json, a record a line" }),
  },
  delays: {
    records: records("flights-200k.json"),
    types: { delay: "INTEGER", distance: "INTEGER", time: "REAL" },
    upload: () => ({ body: fileStream("flights-200k.json"), type: "application/json", from: "flights-200k.json" }),
  },
};

/** The records of every table by its name. */
export const RECORDS = Object.fromEntries(Object.entries({ ...SMALL, ...STREAMED }).map(([name, table]) => [name, table.records]));

export const TOTAL_ROWS = Object.values(RECORDS).reduce((total, list) => total + list.length, 0);
