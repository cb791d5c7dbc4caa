/* Pages of views: zoom and keys become stores that the server follows. */
(function () {
    const DEBOUNCE_MS = 150;
    const QUIET_MS = 500;
    const KEYS = new Set(["w", "a", "s", "d", "f", "F", "j", "k", "n", "N", ",", ".", "Escape"]);
    const ARROWS = new Set(["ArrowLeft", "ArrowRight"]);
    let timer = null;
    let cleared = 0;
    let before = "";

    /* Prefix of the ids of the page, an attribute of its root. */
    const page = () => tilescope.pageRoot()?.dataset.screen;
    const set = (part, data) => dash_clientside.set_props(`${page()}-${part}`, {data: {...data, at: Date.now()}});

    /* What the ranges of a graph set, x axis first; its section says it. Nothing for a graph that does not zoom. */
    function zoomsOf(id) {
        /** @type {HTMLElement} */
        const section = document.getElementById(id)?.closest("[data-zooms]");
        const zooms = section?.dataset.zooms;
        return zooms ? zooms.split(" ") : [];
    }

    /* Return [begin, end] of an axis, null for the whole axis, undefined if it was not zoomed, as by a resize. */
    function rangeOf(event, axis) {
        if (event[axis + "axis.autorange"]) {
            return null;
        }
        if (axis + "axis.range[0]" in event) {
            return [event[axis + "axis.range[0]"], event[axis + "axis.range[1]"]];
        }
        return event[axis + "axis.range"] || event.range?.[axis];
    }

    /* Whether an event tells what the page let plotly draw where a timeline's hand rests (assets/timeline_hand.js):
       people set no ticks. It may come when the hand is elsewhere already, and would move it back. */
    const isOfPage = (event) => "xaxis.tickvals" in event;

    /* A range that is not named stays. */
    function zoom(event) {
        if (event && isOfPage(event)) {
            return dash_clientside.no_update;
        }
        const source = dash_clientside.callback_context.triggered[0]?.prop_id.split(".")[0];
        const found = {};
        const moved = event ? rangeOf(event, "x") : undefined;
        if (moved !== undefined && tilescope.timeline.page.zoomed(source, moved)) {
            return dash_clientside.no_update;
        }
        zoomsOf(source).forEach((part, rank) => {
            const range = event ? rangeOf(event, "xy"[rank]) : undefined;
            if (range !== undefined) {
                found[part] = range;
            }
        });
        if (Object.keys(found).length && Date.now() - cleared > QUIET_MS) {
            clearTimeout(timer);
            timer = setTimeout(() => set("zoom", found), DEBOUNCE_MS);
        }
        return dash_clientside.no_update;
    }

    /* Show the whole axis again, with the selection before the first of the two clicks. */
    function zoomOut(names) {
        const view = new URLSearchParams(before);
        names.forEach((name) => view.delete(name));
        dash_clientside.set_props(`${page()}-view`, {data: view.toString()});
    }

    function clearPlot(id) {
        const zooms = zoomsOf(id);
        if (zooms.length) {
            zoomOut(zooms);
        } else {
            set("key", {key: "Escape"});
        }
    }

    /* While a button is down plotly covers the page, so that no dblclick arrives and a click only at the body. */
    function plotAt(event) {
        const beneath = document.elementsFromPoint(event.clientX, event.clientY);
        return beneath.map((element) => element.closest("[data-screen] .ts-graph")).find(Boolean);
    }

    addEventListener("click", (event) => {
        const plot = event.detail === 2 && plotAt(event);
        if (event.detail === 1) {
            before = location.search;
        }
        if (plot) {
            cleared = Date.now();
            clearTimeout(timer);
            tilescope.timeline.hand.letGo();
            // After the first click's own selection, which it takes back too.
            setTimeout(() => clearPlot(plot.id), QUIET_MS);
        }
    }, true);

    /* A field that finds something is emptied by Escape, and follows a view that no longer looks for it; a choice
       follows a view that another one set. */
    function setChoice(name, value) {
        dash_clientside.set_props({type: `${page()}-choice`, name}, {value});
    }

    /* A view may have a value that is not an option, for example the effort of a saved placement. */
    function offer(name, value) {
        const id = {type: `${page()}-choice`, name};
        const {options} = dash_component_api.getLayout(id).props;
        if (!options.some((option) => option.value === value)) {
            dash_clientside.set_props(id, {options: [...options, {label: value, value}]});
        }
    }

    function fieldOf(element) {
        const field = element.closest("[data-screen] .ts-find");
        return field ? JSON.parse(field.id).name : null;
    }

    function findings(query) {
        tilescope.timeline.page.follow(query);
        tilescope.mapZoom.follow(query);
        const view = new URLSearchParams(query || "");
        /** @type {NodeListOf<HTMLInputElement>} */
        const finders = document.querySelectorAll("[data-screen] .ts-find");
        for (const field of finders) {
            const {name} = JSON.parse(field.id);
            const wanted = view.get(name) || "";
            // An invalid text stays, so that it can be corrected.
            if (field !== document.activeElement && field.validity.valid && field.value !== wanted) {
                setChoice(name, wanted);
            }
        }
        /** @type {NodeListOf<HTMLSelectElement>} */
        const selects = document.querySelectorAll(`[data-screen] select[id*=${page()}-choice]`);
        for (const field of selects) {
            const {name} = JSON.parse(field.id);
            // The component puts an empty option before its own.
            const wanted = view.get(name) || [...field.options].find((option) => option.value).value;
            if (field !== document.activeElement && field.value !== wanted) {
                offer(name, wanted);
                setChoice(name, wanted);
            }
        }
        return dash_clientside.no_update;
    }

    /* As components/graph.py: a plot is as high as its figure at least; one with nothing on it takes no room. */
    function room(figure, style) {
        const minHeight = `${figure.layout.height || parseInt(style.minHeight)}px`;
        const drawn = figure.data.length || figure.layout.annotations?.length;
        const display = drawn ? "block" : "none";
        // The component takes a new class only together with a new style.
        return style.minHeight === minHeight && style.display === display
            ? {}
            : {style: {...style, display, minHeight}, className: drawn ? "ts-graph" : "ts-graph ts-nothing"};
    }

    /* Attributes that describe the error of a field's text, which the component does not have. */
    function describeFields(refusals, fields, ids) {
        const name = (id) => JSON.stringify(id, Object.keys(id).sort());
        refusals.forEach((why, rank) => {
            const field = document.getElementById(name(fields[rank]));
            field?.setAttribute("aria-describedby", name(ids[rank]));
            field?.setAttribute("aria-invalid", String(Boolean(why)));
        });
        return dash_clientside.no_update;
    }

    /* The inputs are changes of something that the view shows: return the view, so that it is drawn again. */
    const drawAgain = (told, view) => view;

    /* Whether a slider is being moved, so that it is ahead of the value that was drawn. */
    function isMoving(id) {
        const field = document.getElementById(id);
        return field instanceof HTMLInputElement && field.type === "range"
            && field.value !== String(dash_component_api.getLayout(id).props.value);
    }

    /* The id of a component, of which that of one of several is an object. */
    const idOf = (key) => (key.startsWith("{") ? JSON.parse(key) : key);

    /* Whether a component is on the page; Dash's own question fails for one that is not. */
    function isThere(id) {
        try {
            return Boolean(dash_component_api.getLayout(id));
        } catch {
            return false;
        }
    }

    /* Sets what fills a place below what is in sight once the plots are drawn: a grid takes longer than most of them.
       What changes such a grid meanwhile waits with it, in the order in which it came. The newest of a place counts,
       and on another page, which may have a place of this name, nothing is set. */
    const later = new Map();
    function setLater(id, props) {
        if (!later.size) {
            tilescope.plotsDrawn().then(setWaiting);
        }
        later.delete(id);
        later.set(id, {props, path: location.pathname});
    }

    function setWaiting() {
        const waiting = [...later];
        later.clear();
        for (const [id, {props, path}] of waiting) {
            const component = idOf(id);
            if (path === location.pathname && isThere(component)) {
                dash_clientside.set_props(component, props);
            }
        }
    }

    const isBelow = (id) => document.getElementById(id)?.getBoundingClientRect().top > innerHeight;

    /* Sets the properties of components. */
    function setAll(changes) {
        for (const [id, props] of Object.entries(changes)) {
            const component = idOf(id);
            const isPartOfLater = later.size > 0 && !isThere(component);
            if (later.has(id) || isPartOfLater || (props.children?.type === "AgGrid" && isBelow(id))) {
                setLater(id, props);
                continue;
            }
            const {style, figure: replaced} = props.figure ? dash_component_api.getLayout(id).props : {};
            if (replaced) {
                // It is left out of figures that replace another one of the same theme.
                props.figure.layout.template ??= replaced.layout.template;
            }
            if (isMoving(id)) {
                delete props.value;
            }
            dash_clientside.set_props(component, style ? {...props, ...room(props.figure, style)} : props);
        }
    }

    /* Sets properties once no hand moves a timeline: its frames come first. */
    function setWhenStill(changes) {
        const {hand} = tilescope.timeline;
        const path = location.pathname;
        if (hand.isResting) {
            setAll(changes);
        } else {
            hand.still().then(() => path === location.pathname && setAll(changes));
        }
    }

    /* Shows what is drawn anew; returns what the page shows then. */
    function change(drawn) {
        setWhenStill(drawn?.changes || {});
        return drawn ? drawn.shown : dash_clientside.no_update;
    }

    /* A turn of a clock, unless the response to the previous turn is missing: Dash drops a response if a later request
       is on its way, so that a server that takes longer than a turn would never be heard. */
    const PATIENCE_MS = 10000;
    let asked = 0;
    function nextTurn(turn) {
        if (turn > 1 && Date.now() - asked < PATIENCE_MS) {
            return dash_clientside.no_update;
        }
        asked = Date.now();
        return turn;
    }

    /* Sets properties, unless the page asks something else by now: a later answer is about that. */
    function changeIfAsked(told, ...now) {
        asked = 0;
        if (told && JSON.stringify(told.asked) === JSON.stringify(now)) {
            setAll(told.changes);
        }
        return dash_clientside.no_update;
    }

    /* Before a dialog hears the key: one that Escape closes was open, and the key was meant for it. */
    addEventListener("keydown", (/** @type {KeyPress} */ event) => {
        const field = event.key === "Escape" && fieldOf(event.target);
        if (field) {
            setChoice(field, "");
        }
        const typing = event.target.closest(
            "input:not([type=radio]), textarea, select, .ag-root, [contenteditable=true]");
        const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
        if (KEYS.has(event.key) && plain && !typing && page() && !document.querySelector(".modal.show")) {
            if (event.key === "Escape") {
                tilescope.timeline.hand.letGo();
            }
            if (!tilescope.timeline.hand.key(event.key)) {
                set("key", {key: event.key === "F" ? "f" : event.key});
            }
        }
        // Arrows belong to the element with the focus, if there is one.
        const isArrow = ARROWS.has(event.key) && plain && event.target === document.body;
        if (isArrow && tilescope.timeline.hand.key(event.key)) {
            event.preventDefault();
        }
    }, true);

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {
        zoom, findings, change, changeIfAsked, nextTurn, drawAgain, describeFields,
    });
})();
