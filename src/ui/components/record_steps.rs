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
        </section>
    }
}
