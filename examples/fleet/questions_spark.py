"""Asks the six questions of questions.sql in a Spark job: spark-submit questions_spark.py [tables]

questions.sql explains the standard errors.
"""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col


def session():
    builder = SparkSession.builder.appName("camlscope").config("spark.sql.session.timeZone", "UTC")
    # A few hundred traces don't need Spark's default of 200 shuffle tasks.
    return builder.config("spark.sql.shuffle.partitions", "8").getOrCreate()


def answers(spark, folder):
    """Yields each question with its answer as a data frame."""

    def table(name):
        return spark.read.parquet(f"{folder}/{name}")

    rate = col("sample_rate") / col("thinned")
    variance_a_byte = F.coalesce(col("word_bits") / 8 / rate * (1 - rate), F.lit(0.0))
    traces = table("traces").withColumn("variance_a_byte", variance_a_byte)
    start_us = F.coalesce(F.unix_micros("started_at"), F.lit(0))
    objects = (
        table("objects")
        .join(traces.select("trace", "program", "started_at", "peak_bytes", "peak_us", "variance_a_byte"), "trace")
        .withColumn("variance", col("bytes") * col("variance_a_byte"))
        .withColumn("allocated_us", F.unix_micros("allocated_at") - start_us)
        .withColumn("ended_us", F.unix_micros("ended_at") - start_us)
    )
    frames = table("frames").select("trace", "frame", "function", "is_library")
    innermost = table("stacks").select("trace", "stack", "frame").join(frames, ["trace", "frame"])
    # Objects without a stack also count.
    with_functions = (
        objects.join(innermost, ["trace", "stack"], "left")
        .withColumn("function", F.coalesce("function", F.lit("(no frame)")))
        .withColumn("is_library", F.coalesce("is_library", F.lit(False)))
    )
    amount = [F.sum("bytes").alias("bytes"), F.sum("variance").alias("variance")]

    whole = F.sum("bytes").over(Window.partitionBy("program", "month"))
    month = F.date_format("started_at", "yyyy-MM").alias("month")
    own = with_functions.where("started_at is not null").groupBy("program", "function", month).agg(*amount)
    shares = own.select(
        "program",
        "function",
        "month",
        F.dense_rank().over(Window.partitionBy("program").orderBy("month")).alias("nth"),
        (col("bytes") / whole).alias("share"),
        (col("bytes") / whole).alias("growth"),
        (col("variance") / whole**2).alias("variance"),
    )
    # Each share is added in its own month and subtracted in the program's next month.
    against = (
        shares.withColumn("month", F.lit(None).cast("string"))
        .withColumn("nth", col("nth") + 1)
        .withColumn("share", F.lit(0.0))
        .withColumn("growth", -col("growth"))
    )
    same_month = Window.partitionBy("program", "nth")
    yield "1. Which function's share of all allocation grew most from one month to the next?", (
        shares.unionByName(against)
        .groupBy("program", "function", "nth")
        .agg(
            F.max("month").alias("month"),
            F.sum("share").alias("share"),
            F.sum("growth").alias("growth"),
            F.sqrt(F.sum("variance")).alias("growth_error"),
        )
        .withColumn("month", F.max("month").over(same_month))
        .where("nth > 1 and month is not null")
        .select("program", "function", "month", "share", "growth", "growth_error")
        .orderBy(col("growth").desc(), "program", "function", "month")
        .limit(20)
    )

    allocated = F.sum("allocated_bytes")
    yield "2. Which hosts promote most of what they allocate?", (
        traces.where("sample_rate is not null")
        .groupBy("host")
        .agg(
            F.count("*").alias("traces"),
            (F.sum("promoted_bytes") / allocated).alias("promoted_share"),
            (F.sqrt(F.sum(col("promoted_bytes") * col("variance_a_byte"))) / allocated).alias("error"),
        )
        .orderBy(col("promoted_share").desc(), "host")
    )

    yield "3. What do all heaps have in common at their peaks?", (
        with_functions.where("not is_library and allocated_us <= peak_us and (ended_us is null or ended_us > peak_us)")
        .groupBy("trace", "function", "peak_bytes")
        .agg(*amount)
        .groupBy("function")
        .agg(
            F.count_if(col("bytes") > col("peak_bytes") / 10).alias("runs"),
            F.avg("bytes").alias("mean_bytes"),
            (F.sqrt(F.sum("variance")) / F.count("*")).alias("error"),
        )
        .where("runs > 0")
        .orderBy(col("runs").desc(), col("mean_bytes").desc(), "function")
        .limit(20)
    )

    program = Window.partitionBy("program")
    yield "4. Which runs of a program stand out: a peak more than twice the median of all its runs?", (
        traces.withColumn("error", F.sqrt(col("peak_bytes") * col("variance_a_byte")))
        .withColumn("median_bytes", F.median("peak_bytes").over(program))
        .withColumn("n_runs", F.count("*").over(program))
        .where("n_runs > 2 and peak_bytes > 2 * median_bytes")
        .select("program", "trace", "peak_bytes", "error", "median_bytes")
        .orderBy(col("peak_bytes").desc(), "trace")
    )

    size_class = (
        F.when(col("words") <= 32, "1-32")
        .when(col("words") <= 256, "33-256")
        .when(col("words") <= 10_000, "257-10,000")
        .otherwise("above")
    )
    yield "5. What is allocated in which sizes, in words?", (
        objects.groupBy("program", size_class.alias("size_class"))
        .agg(F.sum("bytes").alias("bytes"), F.sqrt(F.sum("variance")).alias("error"))
        .orderBy("program", col("bytes").desc())
    )

    window = (
        traces.where("growth_verdict = 'growing'")
        .withColumn("seconds", (col("growth_to_us") - col("growth_from_us")) / 1e6)
        .select("trace", "growth_from_us", "growth_to_us", "seconds")
    )
    yield "6. Which functions keep memory for good, in runs whose heap grows?", (
        with_functions.join(window, "trace")
        .where("ended_at is null and (promoted_at is not null or source <> 'minor')")
        .where("allocated_us >= growth_from_us and allocated_us < growth_to_us")
        .groupBy("trace", "program", "function", "seconds")
        .agg(F.sum("bytes").alias("bytes"), F.sum("variance").alias("variance"))
        .groupBy("program", "function")
        .agg(
            F.count("*").alias("runs"),
            F.avg(col("bytes") / col("seconds")).alias("bytes_per_s"),
            (F.sqrt(F.sum(col("variance") / col("seconds") ** 2)) / F.count("*")).alias("error"),
        )
        .orderBy(col("bytes_per_s").desc(), "program", "function")
        .limit(20)
    )


if __name__ == "__main__":
    spark = session()
    for question, answer in answers(spark, sys.argv[1] if len(sys.argv) > 1 else "tables"):
        print(question)
        answer.show(40, truncate=False)
    spark.stop()
