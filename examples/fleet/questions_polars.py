"""Asks the six questions of questions.sql in Polars: python3 questions_polars.py [tables]

questions.sql explains the standard errors.
"""

import sys

import polars as pl
from polars import col


def answers(folder):
    """Yields each question with its answer as a data frame."""

    def table(name):
        return pl.scan_parquet(f"{folder}/{name}", hive_partitioning=True)

    rate = col("sample_rate") / col("thinned")
    traces = table("traces").with_columns(variance_a_byte=(col("word_bits") / 8 / rate * (1 - rate)).fill_null(0.0))
    start_us = col("started_at").dt.epoch("us").fill_null(0)
    objects = (
        table("objects")
        .join(traces.select("trace", "program", "started_at", "peak_bytes", "peak_us", "variance_a_byte"), on="trace")
        .with_columns(
            variance=col("bytes") * col("variance_a_byte"),
            allocated_us=col("allocated_at").dt.epoch("us") - start_us,
            ended_us=col("ended_at").dt.epoch("us") - start_us,
        )
    )
    innermost = (
        table("stacks")
        .select("trace", "stack", "frame")
        .join(table("frames").select("trace", "frame", "function", "is_library"), on=["trace", "frame"])
        .collect()
    )
    # Objects without a stack also count.
    with_functions = objects.join(innermost.lazy(), on=["trace", "stack"], how="left").with_columns(
        col("function").fill_null("(no frame)"), col("is_library").fill_null(False)
    )
    amount = [col("bytes").sum(), col("variance").sum()]

    whole = col("bytes").sum().over("program", "month")
    shares = (
        with_functions.filter(col("started_at").is_not_null())
        .group_by("program", "function", month=col("started_at").dt.strftime("%Y-%m"))
        .agg(amount)
        .select(
            "program",
            "function",
            "month",
            nth=col("month").rank("dense").over("program").cast(pl.Int64),
            share=col("bytes") / whole,
            growth=col("bytes") / whole,
            variance=col("variance") / whole**2,
        )
    )
    # Each share is added in its own month and subtracted in the program's next month.
    against = shares.with_columns(
        month=pl.lit(None, pl.String), nth=col("nth") + 1, share=pl.lit(0.0), growth=-col("growth")
    )
    yield "1. Which function's share of all allocation grew most from one month to the next?", (
        pl.concat([shares, against])
        .group_by("program", "function", "nth")
        .agg(
            col("month").max(),
            col("share").sum(),
            col("growth").sum(),
            growth_error=col("variance").sum().sqrt(),
        )
        .with_columns(month=col("month").max().over("program", "nth"))
        .filter(col("nth") > 1, col("month").is_not_null())
        .select("program", "function", "month", "share", "growth", "growth_error")
        .sort("growth", "program", "function", "month", descending=[True, False, False, False])
        .head(20)
        .collect()
    )

    allocated = col("allocated_bytes").sum()
    yield "2. Which hosts promote most of what they allocate?", (
        traces.filter(col("sample_rate").is_not_null())
        .group_by("host")
        .agg(
            traces=pl.len(),
            promoted_share=col("promoted_bytes").sum() / allocated,
            error=(col("promoted_bytes") * col("variance_a_byte")).sum().sqrt() / allocated,
        )
        .sort("promoted_share", "host", descending=[True, False])
        .collect()
    )

    is_live = (col("allocated_us") <= col("peak_us")) & (
        col("ended_us").is_null() | (col("ended_us") > col("peak_us"))
    )
    yield "3. What do all heaps have in common at their peaks?", (
        with_functions.filter(~col("is_library") & is_live)
        .group_by("trace", "function", "peak_bytes")
        .agg(amount)
        .group_by("function")
        .agg(
            runs=(col("bytes") > col("peak_bytes") / 10).sum(),
            mean_bytes=col("bytes").mean(),
            error=col("variance").sum().sqrt() / pl.len(),
        )
        .filter(col("runs") > 0)
        .sort("runs", "mean_bytes", "function", descending=[True, True, False])
        .head(20)
        .collect()
    )

    yield "4. Which runs of a program stand out: a peak more than twice the median of all its runs?", (
        traces.with_columns(
            error=(col("peak_bytes") * col("variance_a_byte")).sqrt(),
            median_bytes=col("peak_bytes").median().over("program"),
            n_runs=pl.len().over("program"),
        )
        .filter((col("n_runs") > 2) & (col("peak_bytes") > 2 * col("median_bytes")))
        .select("program", "trace", "peak_bytes", "error", "median_bytes")
        .sort("peak_bytes", "trace", descending=[True, False])
        .collect()
    )

    words = col("words")
    size_class = (
        pl.when(words <= 32).then(pl.lit("1-32"))
        .when(words <= 256).then(pl.lit("33-256"))
        .when(words <= 10_000).then(pl.lit("257-10,000"))
        .otherwise(pl.lit("above"))
    )
    yield "5. What is allocated in which sizes, in words?", (
        objects.group_by("program", size_class=size_class)
        .agg(col("bytes").sum(), error=col("variance").sum().sqrt())
        .sort("program", "bytes", descending=[False, True])
        .collect()
    )

    seconds = (col("growth_to_us") - col("growth_from_us")) / 1e6
    window = traces.filter(col("growth_verdict") == "growing").select(
        "trace", "growth_from_us", "growth_to_us", seconds=seconds
    )
    yield "6. Which functions keep memory for good, in runs whose heap grows?", (
        with_functions.join(window, on="trace")
        .filter(
            col("ended_at").is_null(),
            col("promoted_at").is_not_null() | (col("source") != "minor"),
            col("allocated_us") >= col("growth_from_us"),
            col("allocated_us") < col("growth_to_us"),
        )
        .group_by("trace", "program", "function", "seconds")
        .agg(amount)
        .group_by("program", "function")
        .agg(
            runs=pl.len(),
            bytes_per_s=(col("bytes") / col("seconds")).mean(),
            error=(col("variance") / col("seconds") ** 2).sum().sqrt() / pl.len(),
        )
        .sort("bytes_per_s", "program", "function", descending=[True, False, False])
        .head(20)
        .collect()
    )


if __name__ == "__main__":
    pl.Config.set_tbl_rows(40)
    for question, answer in answers(sys.argv[1] if len(sys.argv) > 1 else "tables"):
        print(question, answer, sep="\n")
