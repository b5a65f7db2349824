//! How to get a trace, in three lines.

use yew::prelude::*;

pub fn record_steps() -> Html {
    html! {
        <section class="record" aria-labelledby="record-title">
            <h2 id="record-title">{ "Record a trace" }</h2>
            <ol class="steps">
                <li>
                    <span>{ "Link the library " }<b>{ "memtrace" }</b>{ " and let main begin with" }</span>
                    <code>{ "Memtrace.trace_if_requested ();" }</code>
                </li>
                <li><span>{ "Run it" }</span><code>{ "MEMTRACE=trace.ctf ./program" }</code></li>
                <li><span>{ "Drop " }<b>{ "trace.ctf" }</b>{ " here" }</span></li>
            </ol>
            <p class="record-spacetime">
                { "Programs built by an OCaml 4.04 to 4.11 that was configured with Spacetime write profiles instead: " }
                <code>{ "OCAML_SPACETIME_INTERVAL=1000 ./program" }</code>
                { " leaves " }<b>{ "spacetime-<pid>" }</b>{ "; the series that prof_spacetime made of it (" }<b>{ ".p" }</b>{ ") opens, too." }
            </p>
        </section>
    }
}
