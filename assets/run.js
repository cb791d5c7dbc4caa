/* A run's page: zoom and keys become stores that the server follows. */
(function () {
    const DEBOUNCE_MS = 150;
    const QUIET_MS = 500;
    const KEYS = new Set(["w", "a", "s", "d", "j", "k", "n", "N", "Escape"]);
    let timer = null;
    let cleared = 0;
    let before = "";

    const MEMORY = new Set(["run-map", "run-banks", "run-live", "run-timesteps"]);

    const set = (id, data) => dash_clientside.set_props(id, {data: {...data, at: Date.now()}});
    const onRun = () => document.querySelector(".ts-run");

    /* Returns [begin, end], null for everything, undefined for what is no zoom (a resize, say). */
    function windowOf(event) {
        if (event["xaxis.autorange"]) {
            return null;
        }
        if ("xaxis.range[0]" in event) {
            return [event["xaxis.range[0]"], event["xaxis.range[1]"]];
        }
        return event["xaxis.range"] || event.range?.x;
    }

    function zoom(event) {
        const span = event ? windowOf(event) : undefined;
        if (span !== undefined && Date.now() - cleared > QUIET_MS) {
            clearTimeout(timer);
            timer = setTimeout(() => set("run-zoom", {window: span}), DEBOUNCE_MS);
        }
        return dash_clientside.no_update;
    }

    /* Memory plots share their steps; the map's addresses are zoomed with them. A range that is not named stays. */
    function rangesOf(event) {
        const named = (axis) => event[axis + ".range"] || [event[axis + ".range[0]"], event[axis + ".range[1]"]];
        const found = {};
        for (const [axis, part] of [["xaxis", "span"], ["yaxis", "addresses"]]) {
            if (event[axis + ".autorange"]) {
                found[part] = null;
            } else if (named(axis)[0] !== undefined) {
                found[part] = named(axis);
            }
        }
        return found;
    }

    function mapZoom(event) {
        const source = dash_clientside.callback_context.triggered[0]?.prop_id.split(".")[0];
        const found = event ? rangesOf(event) : {};
        if (source !== "run-map") {
            delete found.addresses;
        }
        if (Object.keys(found).length && Date.now() - cleared > QUIET_MS) {
            clearTimeout(timer);
            timer = setTimeout(() => set("run-map-zoom", found), DEBOUNCE_MS);
        }
        return dash_clientside.no_update;
    }

    /* Shows everything again, with what was selected before the first of the two clicks. */
    function zoomOut(names) {
        const view = new URLSearchParams(before);
        names.forEach((name) => view.delete(name));
        dash_clientside.set_props("run-view", {data: view.toString()});
    }

    function clearPlot(id) {
        if (id === "run-timeline" || id === "run-overview") {
            zoomOut(["window"]);
        } else if (MEMORY.has(id)) {
            zoomOut(["window", "span", "addresses"]);
        } else {
            set("run-key", {key: "Escape"});
        }
    }

    /* While a button is down plotly covers the page, so that no dblclick arrives and a click only at the body. */
    function plotAt(event) {
        const beneath = document.elementsFromPoint(event.clientX, event.clientY);
        return beneath.map((element) => element.closest(".ts-run .ts-graph")).find(Boolean);
    }

    addEventListener("click", (event) => {
        const plot = event.detail === 2 && plotAt(event);
        if (event.detail === 1) {
            before = location.search;
        }
        if (plot) {
            cleared = Date.now();
            clearTimeout(timer);
            // After the first click's own selection, which it takes back too.
            setTimeout(() => clearPlot(plot.id), QUIET_MS);
        }
    }, true);

    /* A field that finds something is emptied by Escape, and follows a view that no longer looks for it. */
    function setFind(name, value) {
        dash_clientside.set_props({type: "run-choice", name}, {value});
    }

    function fieldOf(element) {
        const field = element.closest(".ts-run .ts-find");
        return field ? JSON.parse(field.id).name : null;
    }

    function findings(query) {
        const view = new URLSearchParams(query || "");
        for (const field of document.querySelectorAll(".ts-run .ts-find")) {
            const {name} = JSON.parse(field.id);
            const wanted = view.get(name) || "";
            if (field !== document.activeElement && field.value !== wanted) {
                setFind(name, wanted);
            }
        }
        return dash_clientside.no_update;
    }

    addEventListener("keydown", (event) => {
        const field = event.key === "Escape" && fieldOf(event.target);
        if (field) {
            setFind(field, "");
        }
        const typing = event.target.closest("input, textarea, select, .ag-root, [contenteditable=true]");
        const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
        if (KEYS.has(event.key) && plain && !typing && onRun() && !document.querySelector(".modal.show")) {
            set("run-key", {key: event.key});
        }
    });

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {zoom, mapZoom, findings});
})();
