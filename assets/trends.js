/* The page of trends: a click on a run opens it, one on a change compares before and after. */
(function () {
    function trendsOpen(click) {
        const target = click?.points[0].customdata;
        if (target) {
            dash_clientside.tilescope.go(target.startsWith("/") ? target : "/run/" + encodeURIComponent(target));
        }
        return dash_clientside.no_update;
    }

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {trendsOpen});
})();
