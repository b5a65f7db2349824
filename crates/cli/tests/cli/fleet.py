"""Holds question 1 of examples/fleet, asked of DuckDB and Polars, against a plain count: python3 fleet.py EXAMPLES TABLES

Prints what differs, and ends with status 1 if anything does.
"""

import sys
from collections import defaultdict

import duckdb

sys.path.insert(0, sys.argv[1])
import check
import questions_polars

OBJECTS = """
select program, strftime(started_at, '%Y-%m'), coalesce(functions[-1], '(no frame)'), bytes
from read_parquet('{folder}/objects/*/*.parquet', hive_partitioning = true) o
join read_parquet('{folder}/traces/*/*.parquet', hive_partitioning = true) t using (trace)
left join read_parquet('{folder}/stacks/*/*.parquet', hive_partitioning = true) s using (trace, stack)
"""


def expected(folder):
    """Program, function and month with its share and growth, of every function that is there in a month or the one before."""
    by_month = defaultdict(lambda: defaultdict(float))
    for program, month, function, size in duckdb.sql(OBJECTS.format(folder=folder)).fetchall():
        by_month[program, month][function] += size
    keys = sorted(by_month)
    for before, now in zip(keys, keys[1:]):
        if before[0] != now[0]:
            continue
        share = lambda key, function: by_month[key].get(function, 0.0) / sum(by_month[key].values())
        for function in by_month[before].keys() | by_month[now].keys():
            yield (*now, function), (share(now, function), share(now, function) - share(before, function))


def main(folder):
    wanted = dict(expected(folder))
    most = sorted(growth for _, growth in wanted.values())[::-1][:20]
    _, rows = next(check.answers_of_duckdb(folder))
    _, frame = next(questions_polars.answers(folder))
    n_wrong = check.main(folder)
    for engine, rows in [("DuckDB", rows), ("Polars", frame.rows())]:
        if len(rows) != len(most):
            n_wrong += 1
            print(f"{engine}: {len(rows)} rows, {len(most)} are expected")
        for (program, function, month, share, growth, _), nth_most in zip(rows, most):
            found = wanted[program, month, function]
            if not all(map(check.is_same, (share, growth), found)) or not check.is_same(growth, nth_most):
                n_wrong += 1
                print(f"{engine}: {function} in {month}: {share}, {growth}; expected {found}, then {nth_most}")
    n_new = sum(share == growth for share, growth in wanted.values())
    n_gone = sum(share == 0.0 for share, growth in wanted.values())
    print(f"{len(wanted)} changes, {n_new} new, {n_gone} gone")
    if n_new == 0 or n_gone == 0:
        n_wrong += 1
    sys.exit(1 if n_wrong else 0)


main(sys.argv[2])
