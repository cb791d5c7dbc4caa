/* Pages of the status: they request comparisons until none is missing, or their number no longer falls. */
(function () {
    const PAUSE_MS = 1000, MAX_IDLE = 5;
    let before = 0, idle = 0, waiting = null;

    /* Rows that are drawn again would lose a note that a user is writing. */
    const isWriting = (body) => body.contains(document.activeElement) && document.activeElement.matches("input");

    function requestMore(page, left) {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
            const body = document.getElementById(`${page}-body`);
            if (!body) {
                return;
            }
            if (isWriting(body)) {
                requestMore(page, left);
            } else {
                dash_clientside.set_props(`${page}-more`, {data: left});
            }
        }, PAUSE_MS);
    }

    /* The input is the store `<page>-left`: the number of missing comparisons, and how often they were requested. */
    function pollMissing(left) {
        const page = dash_clientside.callback_context.inputs_list[0].id.replace(/-left$/, "");
        const [missing, turn] = left ?? [0, 0];
        idle = turn && missing === before ? idle + 1 : 0;
        before = missing;
        if (missing && idle < MAX_IDLE) {
            requestMore(page, left);
        }
        return dash_clientside.no_update;
    }

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {pollMissing});
})();
