#!/bin/sh
# Generates 200 small synthetic traces to try the questions on. Run it from the root of the repository:
#   examples/fleet/make_traces.sh FOLDER
# The traces are of four programs on five hosts, on ten days in two months. Each run has some random functions of its own. From
# November on, billing.exe has a leak.
set -eu
cargo build --quiet --release --package camlscope-testkit
mkdir -p "$1"
first=1791288000 # 6 October 2026, 12:00 UTC
i=0
for program in orders billing compile sessions; do
  for day in 0 5 10 15 20 30 35 40 45 50; do
    for host in a b c d e; do
      i=$((i + 1))
      case $program in
        orders) shape=server ;;
        billing) if [ $day -lt 30 ]; then shape=server; else shape=leak; fi ;;
        compile) shape=compiler ;;
        sessions) shape=leak ;;
      esac
      # Every twentieth run has four times as many objects.
      if [ $((i % 20)) -eq 7 ]; then objects=12000; else objects=3000; fi
      target/release/synth --shape $shape --objects $objects --rate 0.001 --seed $i --program $program.exe --host host-$host \
        --start-us $((first + day * 86400 + i))000000 -o "$1/$program-$day-$host.ctf" 2>/dev/null
    done
  done
done
