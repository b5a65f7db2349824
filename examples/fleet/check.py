"""Asks DuckDB, Polars and Spark the same six questions and compares all answers: python3 check.py [tables]

Skips Spark if pyspark isn't installed. Exits with status 1 if an answer differs by more than rounding.
"""

import math
import sys
from pathlib import Path

import duckdb

import questions_polars


def answers_of_duckdb(folder):
    """Yields the six answers, each as column names and rows."""
    connection = duckdb.connect()
    script = Path(__file__).with_name("questions.sql").read_text().replace("'tables/", f"'{folder}/")
    for statement in duckdb.extract_statements(script):
        if statement.type == duckdb.StatementType.SELECT:
            answer = connection.execute(statement)
            yield [column[0] for column in answer.description], answer.fetchall()
        else:
            connection.execute(statement)


def answers_of_spark(folder):
    """Returns Spark's answers in the same form, or None if pyspark isn't installed."""
    try:
        import questions_spark
    except ModuleNotFoundError:
        print("Spark is left out: there is no pyspark (`pip install pyspark`).")
        return None
    session = questions_spark.session()
    answers = [(frame.columns, frame.collect()) for _, frame in questions_spark.answers(session, folder)]
    session.stop()
    return answers


def is_same(one, two):
    if isinstance(one, float) and isinstance(two, float):
        return math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-12)
    return one == two


def differences(expected, found):
    (columns, rows), (other_columns, other_rows) = expected, found
    if columns != other_columns or len(rows) != len(other_rows):
        yield f"{columns}, {len(rows)} rows; {other_columns}, {len(other_rows)} rows"
    for row, other in zip(rows, other_rows):
        if not all(map(is_same, row, other)):
            yield f"{row}; {tuple(other)}"


def main(folder):
    polars = [(question, (frame.columns, frame.rows())) for question, frame in questions_polars.answers(folder)]
    spark = answers_of_spark(folder) or [None] * len(polars)
    n_wrong = 0
    for expected, (question, of_polars), of_spark in zip(answers_of_duckdb(folder), polars, spark, strict=True):
        print(f"{question} {len(expected[1])} rows")
        for name, found in [("Polars", of_polars), ("Spark", of_spark)]:
            for words in differences(expected, found) if found else []:
                n_wrong += 1
                print(f"  DuckDB and {name} differ: {words}")
    print("All answers are the same." if n_wrong == 0 else f"{n_wrong} rows differ.")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "tables"))
