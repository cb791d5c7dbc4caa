/* The page of trends: a click on a run opens it, one on a change compares before and after. */
(function () {
    function trendsOpen(click) {
        const target = click?.points[0].customdata;
        if (target) {
            dash_clientside.tilescope.go(target.startsWith("/") ? target : "/run/" + encodeURIComponent(target));
        }
        return dash_clientside.no_update;
    }

    /* The server compares the runs at a few changes for each request: ask again until nothing is left. */
    function trendsMore(left) {
        if (left?.[0]) {
            dash_clientside.set_props("trends-more", {data: left});
        }
        return dash_clientside.no_update;
    }

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {trendsOpen, trendsMore});
})();
