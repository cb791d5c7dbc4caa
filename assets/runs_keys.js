/* Keys of the list of runs, wherever the focus is on its page: j, k, Space, Enter; a link that skips the facets. */
(function () {
    const STEPS = {j: 1, k: -1};
    const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable=true]";
    const ACTIVATED = "a, button, summary, input, [role=button], [role=tab], .ag-header";

    /* The run (or group) that the keys act on, by the id of its row. */
    let current = null;

    function shownGrid() {
        const list = document.querySelector("#runs-list:not([hidden]), #runs-groups:not([hidden])");
        const id = {"runs-list": "runs-grid", "runs-groups": "runs-groups-grid"}[list?.id];
        return id && document.getElementById(id) ? dash_ag_grid.getApi(id) : null;
    }

    const cellOf = (element) => element.closest("#runs-list .ag-cell, #runs-groups .ag-cell");

    /* The cell that has the focus decides; without one the row that had it last, where it is still listed. */
    function currentRow(grid, target) {
        const row = target.closest(".ag-row[row-id]");
        return grid.getRowNode(row && cellOf(target) ? row.getAttribute("row-id") : current ?? "");
    }

    function show(grid, index) {
        const node = grid.getDisplayedRowAtIndex(index);
        if (node) {
            grid.ensureIndexVisible(index);
            grid.setFocusedCell(index, grid.getAllDisplayedColumns().find((column) => column.getColDef().field));
            current = node.id;
        }
    }

    function step(grid, node, by) {
        show(grid, node ? node.rowIndex + by : Math.max(0, grid.getFirstDisplayedRowIndex()));
    }

    function select(grid, node) {
        if (grid.getGridOption("rowSelection")) {
            grid.setNodesSelected({nodes: [node], newValue: !node.isSelected(), source: "spaceKey"});
        }
    }

    function open(node) {
        dash_clientside.tilescope.go(node.data.href || "/run/" + encodeURIComponent(node.data.run_id));
    }

    function act(event, grid) {
        const node = currentRow(grid, event.target);
        if (event.key in STEPS) {
            step(grid, node, STEPS[event.key]);
        } else if (!node || event.target.closest(ACTIVATED)) {
            return;
        } else if (event.key === "Enter") {
            open(node);
        } else if (!cellOf(event.target)) {
            // In a cell the grid itself selects by Space.
            select(grid, node);
            show(grid, node.rowIndex);
        }
        event.preventDefault();
    }

    addEventListener("keydown", (/** @type {KeyPress} */ event) => {
        const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
        const known = event.key in STEPS || event.key === "Enter" || event.key === " ";
        const grid = plain && known && !event.defaultPrevented && shownGrid();
        if (grid && !event.target.closest(FIELDS) && !document.querySelector(".modal.show")) {
            act(event, grid);
        }
    });

    addEventListener("click", (/** @type {PressEvent} */ event) => {
        const grid = event.target.closest("#runs-skip") && shownGrid();
        if (grid) {
            event.preventDefault();
            step(grid, grid.getRowNode(current ?? ""), 0);
        }
    });
})();
