//! Examples and exit statuses, for `--help` and the manual pages.

macro_rules! help {
    ($($name:ident: $($example:literal)+;)+) => {
        $(pub const $name: &str = concat!("Examples:\n", $("  ", $example, "\n",)+ "\n", exit_status!());)+
    };
}

pub const RECORD: &str = "Examples:
  camlscope record -- ./program --size 10
  camlscope record --open -- ./server
  camlscope record --view --rate 1e-5 -o server.ctf -- ./server

Exit status:
  That of the program, or 128 + n if signal n killed it.
  1    The program succeeded, but didn't write a trace.
  2    Invalid options.
  126  The program can't be started.
  127  The program wasn't found.";

macro_rules! exit_status {
    () => {
        "Exit status:
  0  Success. Warnings go to standard error.
  1  A file can't be read or written, isn't a trace, or can't answer the query.
  2  Invalid options.
  3  compare --fail-above: growth is significantly above the limit."
    };
}

help! {
    GENERAL:
        "camlscope record --open -- ./program"
        "camlscope open trace.ctf"
        "camlscope view trace.ctf"
        "camlscope summary trace.ctf"
        "camlscope table trace.ctf --live-at peak --by site"
        "camlscope compare old.ctf new.ctf --measure peak --fail-above 5%";
    OPEN:
        "camlscope open trace.ctf"
        "camlscope open old.ctf new.ctf"
        "camlscope open --follow trace.ctf";
    SUMMARY:
        "camlscope summary trace.ctf"
        "camlscope summary trace.ctf --module Parser"
        "zstd -dc trace.ctf.zst | camlscope summary - --json";
    VIEW:
        "camlscope view trace.ctf"
        "camlscope view old.ctf new.ctf"
        "camlscope view --follow trace.ctf"
        "camlscope view --source . trace.ctf";
    TABLE:
        "camlscope table trace.ctf --live-at peak"
        "camlscope table trace.ctf --by site --measure promoted --top 10"
        "camlscope table trace.ctf --sort total"
        "camlscope table trace.ctf --measure growth --csv > growth.csv";
    SITES:
        "camlscope sites trace.ctf --source ."
        "camlscope sites trace.ctf --hide ^Stdlib --measure peak > quickfix"
        "camlscope sites trace.ctf --source . --format github --top 10";
    ANNOTATE:
        "camlscope annotate trace.ctf"
        "camlscope annotate trace.ctf src/orders.ml --all"
        "camlscope annotate trace.ctf --source ~/project --measure peak --top 1";
    FLAME:
        "camlscope flame trace.ctf --live-at peak | flamegraph.pl > live.svg"
        "camlscope flame trace.ctf --by site --hide '^Stdlib'"
        "camlscope flame trace.ctf --live-at peak --svg > peak.svg";
    TIMELINE:
        "camlscope timeline trace.ctf --points 20"
        "camlscope timeline trace.ctf --by module --top 5 --json"
        "camlscope timeline trace.ctf --by module --svg > timeline.svg";
    HISTOGRAM:
        "camlscope histogram trace.ctf --of lifetime"
        "camlscope histogram trace.ctf --of size --weight bytes --bins 0..256:16";
    LEAKS:
        "camlscope leaks trace.ctf"
        "camlscope leaks trace.ctf --by function --top 5"
        "camlscope leaks trace.ctf --verdict growing --min-share 5%";
    COMPARE:
        "camlscope compare old.ctf new.ctf"
        "camlscope compare trace.ctf --times 10s,end --by module"
        "camlscope compare old.ctf new.ctf --changed-only --min-change 1M"
        "camlscope compare old.ctf new.ctf --measure peak --fail-above 5% --markdown";
    WATCH:
        "MEMTRACE=trace.ctf ./server & camlscope watch trace.ctf"
        "camlscope watch trace.ctf --every 10s --json >> memory.log";
    DUMP:
        "camlscope dump trace.ctf --from-time 1.5s --limit 100"
        "camlscope dump trace.ctf --function Parser.parse --frames 5";
    CONVERT:
        "camlscope convert trace.ctf -o trace.pb.gz"
        "camlscope convert trace.ctf -o trace.json --to speedscope --live-at peak"
        "camlscope convert trace.ctf -o trace.json --to firefox"
        "camlscope convert new.ctf -o change.pb.gz --base old.ctf"
        "camlscope convert trace.ctf -o small.ctf --downsample 10 --between 10s..20s"
        "camlscope convert trace.ctf -o anonymous.ctf --anonymize --keep stdlib"
        "camlscope convert traces/ -o tables --to parquet";
    FLEET:
        "camlscope fleet traces/"
        "camlscope fleet monday/*.ctf tuesday/*.ctf --sort peak";
    REPORT:
        "camlscope report trace.ctf -o report.html --title Leak"
        "camlscope report trace.ctf -o report.html --anonymize --max 5M"
        "camlscope report trace.ctf -o report.html --static";
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Cli;

    #[test]
    fn every_command_has_examples_and_they_are_valid() {
        let mut cli = Cli::command();
        cli.build();
        for command in
            cli.get_subcommands().filter(|command| !["completions", "man", "help"].contains(&command.get_name()))
        {
            let name = command.get_name();
            let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  ")).collect();
            let examples = examples.iter().filter_map(|line| Some(&line[line.find("camlscope ")?..]));
            let mut n_examples = 0;
            for example in examples {
                let words = example.split(['|', '>', '&']).next().unwrap_or_default().replace('\'', "");
                let parsed = Cli::command().try_get_matches_from(words.split_whitespace());
                assert!(parsed.is_ok(), "{example}: {:?}", parsed.err());
                n_examples += usize::from(words.contains(name));
            }
            assert!(n_examples > 0 && help.contains("Exit status:"), "{name}: {help}");
        }
    }
}
