/* The page of the status: while runs are still to be compared it asks again, until all are known or nothing moves. */
(function () {
    const PAUSE_MS = 1000, MAX_IDLE = 5;
    let before = 0, idle = 0, waiting = null;

    /* Rows that are drawn anew would lose a note that somebody is writing. */
    function isWriting() {
        return Boolean(document.activeElement?.closest("#status-body input"));
    }

    function askAgain(left) {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
            if (!document.getElementById("status-body")) {
                return;
            }
            if (isWriting()) {
                askAgain(left);
            } else {
                dash_clientside.set_props("status-more", {data: left});
            }
        }, PAUSE_MS);
    }

    function statusMore(left) {
        const missing = left?.[0] ?? 0;
        idle = missing === before ? idle + 1 : 0;
        before = missing;
        if (missing && idle < MAX_IDLE) {
            askAgain(left);
        }
        return dash_clientside.no_update;
    }

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {statusMore});
})();
