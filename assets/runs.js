/* The runs page: links and pages of the grid, selected runs, box and click of the scatter plot, the search field. */
(function () {
    const SEARCH_PAUSE_MS = 250;
    /* Maximum number of runs of an action; the page states it at the button. */
    const maxRuns = (buttonId) => Number(document.getElementById(buttonId)?.dataset.maxRuns);
    const href = (id) => "/run/" + encodeURIComponent(id);
    const tilescope = () => dash_clientside.tilescope;
    const no_update = () => dash_clientside.no_update;
    const onRuns = () => document.getElementById("runs-body");

    /* The selection (run id -> name) stays when runs are sorted, filtered or paged; the boxes of the grid follow it. */
    let picked = {};
    let next = null;

    function runsSelected(selected, following) {
        picked = selected || {};
        next = following || null;
        const grid = document.getElementById("runs-grid") && dash_ag_grid.getApi("runs-grid");
        const nodes = grid ? showPicked(grid) : [];
        const ids = Object.keys(picked);
        const snapshot = "/snapshot?" + new URLSearchParams(ids.map((id) => ["run", id]));
        const pageIsPicked = nodes.length > 0 && nodes.every((node) => node.id in picked);
        const properties = {
            "runs-selected": {children: ids.length ? `${ids.length} selected` : "none selected"},
            "runs-open": {disabled: ids.length !== 1},
            "runs-compare": {disabled: !isComparable(ids)},
            "runs-matrix": {disabled: !fitsMatrix(ids)},
            "runs-snapshot": ids.length
                ? {href: snapshot, className: "ts-button"}
                : {href: undefined, className: "ts-button ts-disabled"},
            "runs-select-none": {hidden: !ids.length},
            "runs-select-all": {hidden: !(next && pageIsPicked && ids.length < next.most)},
        };
        Object.entries(properties).forEach(([id, changed]) => dash_clientside.set_props(id, changed));
        return no_update();
    }

    const runsNoneSelected = (selected) => !Object.keys(selected || {}).length;

    /* The selection at the time when all runs were requested; null if there is no request, or it was withdrawn. */
    let pickedBefore = null;

    function runsSelectAll(listed, selected) {
        if (!pickedBefore) {
            return no_update();
        }
        const taken = Object.keys(pickedBefore).filter((id) => !(id in selected));
        const all = {...listed, ...selected};
        taken.forEach((id) => delete all[id]);
        return all;
    }

    function runsSelectNone() {
        pickedBefore = null;
        return {};
    }

    function showPicked(grid) {
        const nodes = [];
        grid.forEachNode((node) => nodes.push(node));
        for (const newValue of [true, false]) {
            const wrong = nodes.filter((node) => node.id in picked === newValue && node.isSelected() !== newValue);
            grid.setNodesSelected({nodes: wrong, newValue, source: "api"});
        }
        return nodes;
    }

    function runsSelectionChanged(params) {
        if (/^(api|rowDataChanged|selectableChanged)/.test(params.source)) {
            return;
        }
        const now = {...picked};
        params.api.forEachNode((node) => {
            if (node.isSelected()) {
                now[node.id] = node.data.name;
            } else {
                delete now[node.id];
            }
        });
        dash_clientside.set_props("runs-picked", {data: now});
    }

    /* The next page comes when the end of this one is near; another list begins at its top. */
    const ROWS_AHEAD = 30;
    let asked = null;
    let adding = false;

    function runsRowsChanged(params) {
        showPicked(params.api);
        if (!adding && params.api.getDisplayedRowCount()) {
            params.api.ensureIndexVisible(0, "top");
        }
        adding = false;
        window.tilescope.fitName(params);
        runsInView();
    }

    function runsScrolled(params) {
        runsInView();
        const left = params.api.getDisplayedRowCount() - params.api.getLastDisplayedRowIndex();
        if (next && asked !== next && left < ROWS_AHEAD) {
            asked = next;
            dash_clientside.set_props("runs-more", {data: next});
        }
    }

    /* A page that arrives after another list was requested is dropped. */
    function runsAdd(added, query) {
        if (!added || added.query !== query) {
            return [no_update(), no_update()];
        }
        const grid = dash_ag_grid.getApi("runs-grid");
        adding = true;
        return [{add: added.rows.filter((row) => !grid.getRowNode(row.run_id)), async: false}, added.next];
    }

    function runsOpen(clicks, click, selected) {
        const button = dash_clientside.callback_context.triggered_id === "runs-open";
        const id = button ? Object.keys(selected || {})[0] : click?.points[0].customdata;
        if (id) {
            tilescope().go(href(id));
        }
        return no_update();
    }

    /* The run that was selected first is the base. */
    const isComparable = (ids) => ids.length >= 2 && ids.length <= maxRuns("runs-compare");
    const fitsMatrix = (ids) => ids.length >= 1 && ids.length <= maxRuns("runs-matrix");

    function runsCompare(clicks, selected) {
        const ids = Object.keys(selected || {});
        if (clicks && isComparable(ids)) {
            const runs = ids.map((id, rank) => [rank ? "new" : "base", id]);
            tilescope().go("/compare?" + new URLSearchParams(runs));
        }
        return no_update();
    }

    function runsMatrix(clicks, selected) {
        const ids = Object.keys(selected || {});
        if (clicks && fitsMatrix(ids)) {
            tilescope().go("/matrix?" + new URLSearchParams(ids.map((id) => ["run", id])));
        }
        return no_update();
    }

    /* Verdicts that are missing come for the rows in view, a few at a time, until none is missing. */
    const LOOK_PAUSE_MS = 150;
    let look = null;

    function runsInView() {
        clearTimeout(look);
        look = setTimeout(askVerdicts, LOOK_PAUSE_MS);
    }

    function askVerdicts() {
        const grid = onRuns() && document.getElementById("runs-grid") && dash_ag_grid.getApi("runs-grid");
        if (!grid || !grid.getColumn("against")?.isVisible()) {
            return;
        }
        const rows = [];
        const first = Math.max(0, grid.getFirstDisplayedRowIndex());
        for (let index = first; index <= grid.getLastDisplayedRowIndex(); index++) {
            rows.push(grid.getDisplayedRowAtIndex(index));
        }
        // Known verdicts are requested again too: a run that regressed is no longer a member of a rolling baseline.
        if (rows.some((row) => row?.data.against_look === "missing")) {
            dash_clientside.set_props("runs-against-asked", {data: rows.map((row) => row.id)});
        }
    }

    function runsAgainst(told) {
        dash_ag_grid.getApiAsync("runs-grid").then((grid) => {
            for (const [id, cell] of Object.entries(told || {})) {
                const row = grid.getRowNode(id);
                if (row && Object.keys(cell).some((name) => row.data[name] !== cell[name])) {
                    row.setData({...row.data, ...cell});
                }
            }
            runsInView();
        });
        return no_update();
    }

    function runsBox(selected) {
        if (!selected?.points?.length) {
            return no_update();
        }
        const span = (values) => [Math.min(...values), Math.max(...values)];
        return {
            size: span(selected.points.map((point) => point.x)),
            rate: span(selected.points.map((point) => point.y)),
        };
    }

    function runsClear(clicks, ids, captureIds) {
        const context = dash_clientside.callback_context;
        if (!clicks.some(Boolean) || !context.triggered_id) {
            return [ids.map(no_update), no_update(), no_update(), captureIds.map(no_update)];
        }
        const name = context.triggered_id.name;
        return [
            ids.map((id) => (id.name === name ? [] : no_update())),
            name === "q" ? "" : no_update(),
            name === "box" ? {size: null, rate: null} : no_update(),
            captureIds.map((id) => (id.name === name ? "" : no_update())),
        ];
    }

    /* In a narrow window the facets are folded, behind a button with the number of chosen values. */
    function runsFilters(clicks, chosen, captured) {
        const open = (clicks || 0) % 2 === 1;
        const count = chosen.reduce((sum, values) => sum + (values || []).length, 0) + captured.filter(Boolean).length;
        const button = document.getElementById("runs-facets-fold");
        button?.setAttribute("aria-expanded", String(open));
        return [count ? `Filters (${count})` : "Filters", open ? "ts-facets ts-open" : "ts-facets"];
    }

    /* Counts the hidden values of a facet: the style sheet shows the first values and those that are chosen. */
    function runsFold(options, chosen, clicks) {
        const open = (clicks || 0) % 2 === 1;
        const facets = document.getElementById("runs-facets");
        const shownValues = Number(getComputedStyle(facets).getPropertyValue("--ts-shown-values"));
        const rest = options.slice(shownValues).filter((option) => !(chosen || []).includes(option.value));
        const foldable = options.length > shownValues && (open || rest.length);
        return [open ? "fewer" : `${rest.length} more`, !foldable, open ? "ts-facet ts-open" : "ts-facet"];
    }

    /* Write the search and the sorting of the address to the field and the grid, which Dash does not set. */
    function runsShowControls(q, sort) {
        dash_ag_grid.getApiAsync("runs-grid").then((grid) => {
            const column = (sort || "").replace(/^-/, "");
            const order = (sort || "").startsWith("-") ? "desc" : "asc";
            const now = grid.getColumnState().find((state) => state.sort);
            if (now?.colId !== column || now?.sort !== order) {
                grid.applyColumnState({state: [{colId: column, sort: order}], defaultState: {sort: null}});
            }
        });
        const field = document.getElementById("search");
        return document.activeElement === field ? no_update() : q || "";
    }

    function runsSortChanged(params) {
        const sorted = params.api.getColumnState().find((state) => state.sort);
        const sort = sorted ? (sorted.sort === "desc" ? "-" : "") + sorted.colId : "";
        dash_clientside.set_props("runs-sort", {data: sort});
    }

    /* A cell that leads somewhere within the application. */
    function cellLink(target, text) {
        const follow = (event) => {
            if (!event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey) {
                event.preventDefault();
                tilescope().go(target);
            }
        };
        return React.createElement("a", {href: target, onClick: follow, tabIndex: -1}, text);
    }
    (window.tilescope ||= {}).cellLink = cellLink;

    const PINNED = "pinned: neither deleted nor counted by retention";
    const mark = (name, label) => React.createElement("span", {className: name, role: "img", "aria-label": label});
    const told = (data) => [data.name, data.note, data.pinned && PINNED].filter(Boolean).join("\n");

    /* A name without room loses the part before its tail, which the page computes from the names of its rows. */
    const part = (name, text) => React.createElement("span", {className: name, key: name}, text);
    const cut = (name, tail) => {
        const begin = name.length - tail;
        return [part("ts-head", name.slice(0, begin)), part("ts-tail", name.slice(begin))];
    };

    const RunLink = ({data}) => React.createElement("span", {className: "ts-run-name", title: told(data)},
        cellLink(href(data.run_id), cut(data.name, data.name_tail)),
        data.note && mark("ts-note", data.note),
        data.pinned && mark("ts-pin", PINNED));
    const AgainstLink = ({value, data}) => (data.against_href ? cellLink(data.against_href, value) : value || "–");
    const GroupLink = (props) => cellLink(props.data.href, props.value);
    const BestLink = (props) => (props.data.best_run
        ? cellLink(href(props.data.best_run), props.valueFormatted) : props.valueFormatted);

    /* An open list closes after a click outside of it, or if a saved view is chosen. */
    addEventListener("click", (/** @type {PressEvent} */ event) => {
        /** @type {NodeListOf<HTMLDetailsElement>} */
        const choosers = document.querySelectorAll(".ts-chooser[open]");
        choosers.forEach((chooser) => {
            if (!chooser.contains(event.target) || event.target.closest(".ts-views a")) {
                chooser.open = false;
            }
        });
    });

    let pause = null;
    const search = (text) => dash_clientside.set_props("runs-q", {data: text});
    addEventListener("input", (/** @type {FieldEvent} */ event) => {
        if (event.target.id === "search" && onRuns()) {
            clearTimeout(pause);
            pause = setTimeout(search, SEARCH_PAUSE_MS, event.target.value);
        }
    });
    addEventListener("click", (/** @type {PressEvent} */ event) => {
        if (event.target.closest?.("#runs-select-all")) {
            pickedBefore = {...picked};
        }
    }, true);
    addEventListener("keydown", (/** @type {KeyboardEvent & FieldEvent} */ event) => {
        if (event.target.id === "search" && event.key === "Enter" && !onRuns()) {
            const list = event.target.closest("[data-list]").getAttribute("data-list");
            tilescope().go(list + "?" + new URLSearchParams({q: event.target.value}));
        }
    });

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {
        runsSelected, runsNoneSelected, runsSelectAll, runsSelectNone, runsAdd,
        runsOpen, runsCompare, runsMatrix, runsAgainst, runsBox, runsClear, runsFilters, runsFold, runsShowControls,
    });
    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, {
        runsSortChanged, runsSelectionChanged, runsRowsChanged, runsScrolled, runsInView,
        runsAsTheyCome: () => 0,
    });
    window.dashAgGridComponentFunctions = Object.assign(window.dashAgGridComponentFunctions || {}, {
        RunLink, AgainstLink, GroupLink, BestLink,
    });
})();
