/* Hands a run's trace to Perfetto: opens its window, sends PING until it answers PONG, then sends the trace. */
(function () {
    const PING_MS = 50;
    const PATIENCE_MS = 60000;
    const { ui, trace, title, run } = document.getElementById("perfetto").dataset;
    const origin = new URL(ui).origin;
    const button = /** @type {HTMLButtonElement} */ (document.getElementById("perfetto-open"));
    const status = document.getElementById("perfetto-status");
    let opened = null;
    let pinging = 0;

    function say(words) {
        status.textContent = words;
    }

    /* The trace is fetched while the person reads, so that their click is still fresh when the window is opened. */
    async function fetchTrace() {
        const response = await fetch(trace, { headers: { Accept: "application/problem+json" } });
        if (!response.ok) {
            const problem = await response.json().catch(() => ({}));
            throw new Error(problem.detail || "The server did not give the trace.");
        }
        return response.arrayBuffer();
    }

    const fetched = fetchTrace();
    fetched.then(
        () => say("The trace is ready."),
        (error) => {
            button.disabled = true;
            say(error.message);
        },
    );

    function stop() {
        clearInterval(pinging);
        pinging = 0;
    }

    function ping(since) {
        if (opened.closed) {
            stop();
            say("The window of Perfetto was closed.");
        } else if (Date.now() - since > PATIENCE_MS) {
            stop();
            say("Perfetto did not answer. Download the trace and open it there.");
        } else {
            opened.postMessage("PING", origin);
        }
    }

    button.addEventListener("click", () => {
        stop();
        opened = window.open(ui);
        if (!opened) {
            say("The browser opened no window. Allow windows of this page, or download the trace.");
            return;
        }
        say("Waiting for Perfetto.");
        const since = Date.now();
        pinging = setInterval(() => ping(since), PING_MS);
    });

    window.addEventListener("message", async (event) => {
        if (!pinging || event.origin !== origin || event.source !== opened || event.data !== "PONG") {
            return;
        }
        stop();
        say("Handing over the trace.");
        try {
            const buffer = await fetched;
            const url = new URL(run, location.origin).href;
            opened.postMessage({ perfetto: { buffer, title, url } }, origin);
            say("Perfetto has the trace.");
        } catch (error) {
            say(error.message);
        }
    });
})();
