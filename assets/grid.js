/* The look of every grid, and the width of its first column if that stays in view. */
(function () {
    /* Made of the same variables as the page, so that it follows light and dark by itself. */
    function gridTheme(base) {
        fitNewGrids();
        return base.withParams({
            accentColor: "var(--ts-link)",
            backgroundColor: "var(--ts-panel)",
            foregroundColor: "var(--ts-ink)",
            borderColor: "var(--ts-border)",
            rowBorder: {color: "var(--ts-grid)"},
            headerBackgroundColor: "var(--ts-raised)",
            headerTextColor: "var(--ts-muted)",
            oddRowBackgroundColor: "var(--ts-panel)",
            fontFamily: "var(--ts-font)",
            fontSize: 13,
            headerFontSize: 12,
            cellHorizontalPadding: 7,
            rowHeight: 28,
            headerHeight: 30,
            wrapperBorder: false,
            wrapperBorderRadius: 0,
            browserColorScheme: "inherit",
        });
    }

    const PADDING_PX = 22;
    const SCROLLBAR_PX = 16;
    const CELL = ".ag-pinned-left-cols-container .ag-cell";
    const MAX_FRAMES = 60;
    const pen = document.createElement("canvas").getContext("2d");
    /* Grids whose first column has a width that the user has set. */
    const resized = new WeakSet();

    function longestText(api, column, cell) {
        const {fontSize, fontFamily} = getComputedStyle(cell);
        pen.font = `${fontSize} ${fontFamily}`;
        let longest = 0;
        api.forEachNode((rowNode) => {
            const text = api.getCellValue({rowNode, colKey: column, useFormatter: true});
            longest = Math.max(longest, pen.measureText(String(text ?? "")).width);
        });
        return Math.ceil(longest) + PADDING_PX;
    }

    /* The column that stays in view takes the free width, as far as its texts need it, and at most
       half of a narrow grid: two kernels whose names are cut at the same place look alike, and beside a column that
       fills the grid there is no number. A grid has no flexible width for such a column. */
    function gridFitPinned({api}) {
        const [column] = api.isDestroyed() || resized.has(api) ? [] : api.getDisplayedLeftColumns();
        const panel = document.querySelector(`[grid-id="${api.getGridId()}"]`);
        const cell = panel?.querySelector(CELL);
        if (!column || !cell || !panel.clientWidth) {
            return;
        }
        const others = api.getAllDisplayedColumns().filter((other) => other !== column);
        const taken = others.reduce((sum, other) => {
            const {flex, minWidth} = other.getColDef();
            return sum + (flex ? minWidth : other.getActualWidth());
        }, SCROLLBAR_PX);
        const own = column.getColDef().width;
        const free = Math.min(panel.clientWidth - taken, longestText(api, column, cell));
        const newWidth = Math.max(Math.min(own, panel.clientWidth / 2), free);
        if (Math.round(newWidth) !== column.getActualWidth()) {
            api.setColumnWidths([{key: column, newWidth: Math.round(newWidth)}]);
        }
    }

    /* A grid's first rows come before Dash listens to its events, and its cells some frames later: the page looks for
       new grids in the frames after their theme was read. */
    let framesLeft = 0;

    function fitNewGrids() {
        if (!framesLeft) {
            requestAnimationFrame(fitThoseWithCells);
        }
        framesLeft = MAX_FRAMES;
    }

    function fitThoseWithCells() {
        const roots = document.querySelectorAll(".ts-memory-grid .ag-root-wrapper:not([data-fitted])");
        [...roots].filter((root) => root.querySelector(CELL)).forEach((root) => {
            root.setAttribute("data-fitted", "yes");
            dash_ag_grid.getApiAsync(root.closest("[id]").id).then((api) => gridFitPinned({api}));
        });
        framesLeft -= 1;
        if (framesLeft) {
            requestAnimationFrame(fitThoseWithCells);
        }
    }

    function gridColumnResized({api, source}) {
        if (source === "uiColumnResized") {
            resized.add(api);
        }
    }

    const functions = {gridTheme, gridFitPinned, gridColumnResized};
    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, functions);
})();
