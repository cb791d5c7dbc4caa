/* The address bar follows the store of a page's view state; back and forward write to `<store>-from-url`.

   Dash's own router would build the whole page again for a change of the query, so that it never sees one. */
(function () {
    const COALESCE_MS = 1000;
    const PUSHED = "_dashprivate_pushstate";
    let store = null;
    let path = null;
    let lastPush = 0;

    const query = () => location.search.replace(/^\?/, "");
    const showing = () => path === location.pathname && isOnPage(store);

    /* Dash throws if a component is not on the page. */
    function isOnPage(id) {
        try {
            return Boolean(dash_component_api.getLayout(id));
        } catch {
            return false;
        }
    }

    function writeHistory(data) {
        const id = dash_clientside.callback_context.inputs_list[0].id;
        const arrived = id !== store || path !== location.pathname;
        store = id;
        path = location.pathname;
        const wanted = data || "";
        if (wanted !== query()) {
            const now = Date.now();
            const replace = arrived || now - lastPush < COALESCE_MS;
            lastPush = replace ? lastPush : now;
            const url = path + (wanted ? "?" + wanted : "") + location.hash;
            history[replace ? "replaceState" : "pushState"](history.state, "", url);
        }
        return dash_clientside.no_update;
    }

    function follow(event) {
        if (!showing()) {
            return;
        }
        event.stopImmediatePropagation();
        lastPush = 0;
        dash_clientside.set_props(store + "-from-url", {data: query()});
        // A link may lead to a card of this page in another state; back and forward keep the place of the page.
        if (event.type === PUSHED) {
            window.tilescope.jumpToCard?.();
        }
    }

    addEventListener("popstate", follow, true);
    addEventListener(PUSHED, follow, true);
    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {writeHistory});
})();
