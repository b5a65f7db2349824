-- Six questions about many traces, for DuckDB:
--   camlscope convert traces/ --to parquet -o tables
--   duckdb < questions.sql
-- docs/tables.md describes the tables. Every estimate has a standard error. Sample counts have a Poisson distribution: an object
-- with n samples stands for n * b bytes, with the variance n * b² * (1 - rate). Here, rate is the recorder's sampling rate after
-- downsampling, and b is the bytes per sample (word size / rate). Variances add up, even for traces with different rates.

set timezone = 'UTC';
create view traces as
select *, sample_rate / thinned as rate,
  -- Multiply an amount of bytes by this to get its variance. It's 0 for profiles, whose figures are exact.
  coalesce(word_bits / 8 / rate * (1 - rate), 0) as variance_a_byte
from read_parquet('tables/traces/*/*.parquet', hive_partitioning = true);
create view objects as
select o.*, program, started_at, peak_bytes, bytes * variance_a_byte as variance,
  epoch_us(allocated_at) - coalesce(epoch_us(started_at), 0) as allocated_us,
  epoch_us(ended_at) - coalesce(epoch_us(started_at), 0) as ended_us, peak_us
from read_parquet('tables/objects/*/*.parquet', hive_partitioning = true) o join traces using (trace);
-- A table, not a view: in a single query, DuckDB would join every object of a trace with every frame of that trace.
create temp table innermost as
select trace, stack, function, is_library
from read_parquet('tables/stacks/*/*.parquet', hive_partitioning = true) s
join read_parquet('tables/frames/*/*.parquet', hive_partitioning = true) f using (trace, frame);
-- Objects without a stack also count.
create view with_functions as
select o.*, coalesce(function, '(no frame)') as function, coalesce(is_library, false) as is_library
from objects o left join innermost using (trace, stack);

-- 1. Which function's share of all allocation grew most from one month to the next?
with own as (
  select program, strftime(started_at, '%Y-%m') as month, function, sum(bytes) as bytes, sum(variance) as variance
  from with_functions
  where started_at is not null
  group by all
),
shares as (
  select program, function, month, dense_rank() over (partition by program order by month) as nth,
    bytes / sum(bytes) over whole as share, variance / (sum(bytes) over whole) ^ 2 as variance
  from own window whole as (partition by program, month)
),
-- Each share is added in its own month and subtracted in the program's next month. So a new function grows from 0, and a
-- function that is gone shrinks to 0.
parts as (
  select program, function, nth, month, share, share as growth, variance from shares
  union all
  select program, function, nth + 1, null, 0, -share, variance from shares
),
changes as (
  select program, function, nth, max(max(month)) over (partition by program, nth) as month, sum(share) as share,
    sum(growth) as growth, sqrt(sum(variance)) as growth_error
  from parts group by program, function, nth
)
select program, function, month, share, growth, growth_error
from changes
where nth > 1 and month is not null
order by growth desc, program, function, month limit 20;

-- 2. Which hosts promote most of what they allocate? Allocations have far more samples, so their error is ignored.
select host, count(*) as traces, sum(promoted_bytes) / sum(allocated_bytes) as promoted_share,
  sqrt(sum(promoted_bytes * variance_a_byte)) / sum(allocated_bytes) as error
from traces where sample_rate is not null
group by host order by promoted_share desc, host;

-- 3. What do all heaps have in common at their peaks? Functions outside the library are sorted by the number of runs in which
-- they hold more than a tenth of the peak.
with at_peak as (
  select trace, function, peak_bytes, sum(bytes) as bytes, sum(variance) as variance
  from with_functions
  where not is_library and allocated_us <= peak_us and (ended_us is null or ended_us > peak_us)
  group by all
)
select function, count(*) filter (bytes > peak_bytes / 10) as runs, avg(bytes) as mean_bytes,
  sqrt(sum(variance)) / count(*) as error
from at_peak
group by function having runs > 0 order by runs desc, mean_bytes desc, function limit 20;

-- 4. Which runs of a program stand out: a peak that is more than twice the median of all its runs?
select program, trace, peak_bytes, sqrt(peak_bytes * variance_a_byte) as error,
  median(peak_bytes) over (partition by program) as median_bytes
from traces
qualify count(*) over (partition by program) > 2 and peak_bytes > 2 * median_bytes
order by peak_bytes desc, trace;

-- 5. What is allocated in which sizes, in words?
select program,
  case when words <= 32 then '1-32' when words <= 256 then '33-256' when words <= 10000 then '257-10,000' else 'above' end
    as size_class,
  sum(bytes) as bytes, sqrt(sum(variance)) as error
from objects
group by all order by program, bytes desc;

-- 6. Which functions keep memory for good, in runs whose heap grows? Only objects that were never freed and are old enough to
-- judge count, as in `camlscope leaks` (docs/leaks.md).
with kept as (
  select o.trace, o.program, function, sum(bytes) / seconds as rate, sum(variance) / seconds ^ 2 as variance
  from with_functions o
  join (
    select trace, growth_from_us, growth_to_us, (growth_to_us - growth_from_us) / 1e6 as seconds
    from traces where growth_verdict = 'growing'
  ) using (trace)
  where ended_us is null and (promoted_at is not null or source <> 'minor')
    and allocated_us >= growth_from_us and allocated_us < growth_to_us
  group by o.trace, o.program, function, seconds
)
select program, function, count(*) as runs, avg(rate) as bytes_per_s, sqrt(sum(variance)) / count(*) as error
from kept
group by program, function order by bytes_per_s desc, program, function limit 20;
