/* The page of trends: a click on a run opens it, a click on a change compares the runs before and after. */
(function () {
    function trendsOpen(click) {
        const target = click?.points[0].customdata;
        if (target) {
            dash_clientside.tilescope.go(target.startsWith("/") ? target : "/run/" + encodeURIComponent(target));
        }
        return dash_clientside.no_update;
    }

    const MAX_IDLE = 5;
    let before = 0, idle = 0;

    /* The server compares a few runs for each request: ask again until nothing is left, or nothing becomes less. */
    function trendsMore(left) {
        const count = left?.[0] ?? 0;
        idle = count === before ? idle + 1 : 0;
        before = count;
        if (count && idle < MAX_IDLE) {
            dash_clientside.set_props("trends-more", {data: left});
        }
        return dash_clientside.no_update;
    }

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {trendsOpen, trendsMore});
})();
