"""Holds the command line's answers against SQL over the tables that `camlscope convert --to parquet` made.

Standard input: {"folder": the dataset, "traces": [{"file", "table", "histograms": {"words": …, "lifetime_us": …}}]}, the
last three as --json printed them. Prints what differs, and ends with status 1 if anything does.
"""

import json
import sys

import duckdb

TABLE = """
with named as (
  select o.*, functions from objects o join stacks using (trace, stack) where trace = $trace
),
-- A function that is in a stack twice counts once.
total as (
  select function, sum(bytes) as bytes, sum(samples) as samples,
    coalesce(sum(bytes) filter (ended_at is null), 0) as end_bytes,
    coalesce(sum(bytes) filter (promoted_at is not null), 0) as promoted_bytes,
    sum(bytes * lifetime_us) / 1e6 as byte_seconds
  from (select *, unnest(list_distinct(functions)) as function from named)
  group by function
),
own as (
  select functions[-1] as function, sum(bytes) as bytes, sum(samples) as samples from named group by all
)
select function, total.bytes, total.samples, coalesce(own.bytes, 0), coalesce(own.samples, 0), end_bytes,
  promoted_bytes, byte_seconds
from total left join own using (function)
"""
FIGURES = ["total_bytes", "total_samples", "self_bytes", "self_samples", "end_bytes", "promoted_bytes", "byte_seconds"]

BIN = """
select coalesce(sum(samples), 0), coalesce(sum(bytes), 0), coalesce(sum(samples) filter (ended_at is null), 0)
from objects where trace = $trace and {column} >= $from and ($to is null or {column} < $to) and {which}
"""


def is_near(one, two):
    return abs(one - two) <= 1e-9 * max(abs(one), abs(two), 1)


def differences(tables, trace, answers):
    rows = {row[0]: row[1:] for row in tables.execute(TABLE, {"trace": trace}).fetchall()}
    told = {}
    for row in answers["table"]["rows"]:
        told.setdefault(row["name"], []).append([row[name] for name in FIGURES])
    for key in rows.keys() ^ told.keys():
        yield f"{key} is in one of both"
    for key in rows.keys() & told.keys():
        # Functions of one name in several files are one in a list of names: theirs is no sum of rows.
        if len(told[key]) == 1 and not all(map(is_near, rows[key], told[key][0])):
            yield f"{key}: {rows[key]}, told {told[key][0]}"
    for column, histogram in answers["histograms"].items():
        for bar in histogram["bins"]:
            # Objects that never ended have no lifetime, only an age.
            which = "ended_at is not null" if column == "lifetime_us" else "true"
            query = BIN.format(column=column, which=which)
            found = tables.execute(query, {"trace": trace, "from": bar["from"], "to": bar["to"]}).fetchone()
            if not all(map(is_near, found, [bar["samples"], bar["bytes"], bar["alive_samples"]])):
                yield f"{column}: {found}, told {bar}"


def never_ended(tables, trace, answers):
    query = "select coalesce(sum(samples), 0), coalesce(sum(bytes), 0) from objects where trace = $trace and ended_at is null"
    found = tables.execute(query, {"trace": trace}).fetchone()
    told = answers["histograms"]["lifetime_us"]["never"]
    if not all(map(is_near, found, [told["samples"], told["bytes"]])):
        yield f"never ended: {found}, told {told}"


def main():
    given = json.load(sys.stdin)
    tables = duckdb.connect()
    for name in ["traces", "objects", "stacks", "frames"]:
        files = f"{given['folder']}/{name}/*/*.parquet"
        tables.execute(f"create view {name} as from read_parquet('{files}', hive_partitioning = true)")
    n_rows = n_wrong = 0
    for answers in given["traces"]:
        (trace,) = tables.execute("select id from traces where file = $file", {"file": answers["file"]}).fetchone()
        n_rows += len(answers["table"]["rows"])
        for words in [*differences(tables, trace, answers), *never_ended(tables, trace, answers)]:
            n_wrong += 1
            print(f"{answers['file']}: {words}")
    print(f"{n_rows} rows of {len(given['traces'])} traces, {n_wrong} differ")
    sys.exit(1 if n_wrong else 0)


main()
