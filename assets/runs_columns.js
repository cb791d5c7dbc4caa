/* Columns of the list of runs: the cell of the headline, and the widths of name and headline. */
(function () {
    const HeadlineCell = ({value, data}) => (data.headline_kind
        ? React.createElement("span", {"data-headline": data.headline_kind}, value)
        : value);

    const MIN_NAME_PX = 240;
    /* A name is shortened in its middle, a headline would lose its base: up to this width it comes first. */
    const FIRST_HEADLINE_PX = 292;
    const MIN_NAME_BESIDE_HEADLINE_PX = 200;
    const HEADLINE = "headline";
    const HEADLINE_PADDING_PX = 18;
    /* Widths in a cell besides the text of a name: its padding, and the marks of note and pin. */
    const PADDING_PX = 26;
    const MARKS_PX = 44;
    const SCROLLBAR_PX = 16;
    let measure = null;

    function textWidth(text) {
        const cell = document.querySelector("#runs-grid .ag-cell") || document.body;
        measure ||= document.createElement("canvas").getContext("2d");
        const {fontSize, fontFamily} = getComputedStyle(cell);
        measure.font = `${fontSize} ${fontFamily}`;
        return measure.measureText(text).width;
    }

    /* A width that the user has set stays until the page is left. */
    const isResizedByUser = () => window.tilescope.isNameResized;

    function longestName(grid) {
        let longest = 0;
        grid.forEachNode(({data}) => {
            const marks = data.note || data.pinned ? MARKS_PX : 0;
            longest = Math.max(longest, textWidth(data.name) + marks);
        });
        return Math.ceil(longest) + PADDING_PX;
    }

    function longestHeadline(grid) {
        let longest = 0;
        grid.forEachNode(({data}) => {
            longest = Math.max(longest, textWidth(data[HEADLINE] || ""));
        });
        return Math.ceil(longest) + HEADLINE_PADDING_PX;
    }

    /* Headline and name take the width that other columns leave free, but not more than their longest texts need: a
       grid has no flexible width for a pinned column. */
    function runsFitName({api}) {
        const panel = document.getElementById("runs-grid");
        if (!panel?.clientWidth || api.isDestroyed() || isResizedByUser()) {
            return;
        }
        const headline = api.getColumn(HEADLINE);
        const others = api.getAllDisplayedColumns()
            .filter((column) => column.getColId() !== "name" && column !== headline);
        const taken = others.reduce((sum, column) => {
            const {flex, minWidth} = column.getColDef();
            return sum + (flex ? minWidth : column.getActualWidth());
        }, SCROLLBAR_PX);
        const free = panel.clientWidth - taken;
        const longest = longestName(api);
        const headlineRoom = Math.max(Math.min(FIRST_HEADLINE_PX, free - MIN_NAME_BESIDE_HEADLINE_PX), free - longest);
        const headlinePx = headline?.isVisible()
            ? Math.max(headline.getColDef().width, Math.min(longestHeadline(api), headlineRoom))
            : 0;
        // On a narrow screen half of the grid is left for the numbers.
        const least = Math.min(headlinePx ? MIN_NAME_BESIDE_HEADLINE_PX : MIN_NAME_PX, panel.clientWidth / 2);
        const namePx = Math.max(least, Math.min(free - headlinePx, longest));
        const widths = [["name", namePx], ...(headlinePx ? [[HEADLINE, headlinePx]] : [])];
        const changed = widths.filter(([key, newWidth]) => api.getColumn(key)?.getActualWidth() !== newWidth);
        if (changed.length) {
            api.setColumnWidths(changed.map(([key, newWidth]) => ({key, newWidth})));
        }
    }

    function runsColumnResized({column, source}) {
        if (source === "uiColumnResized" && ["name", HEADLINE].includes(column?.getColId())) {
            window.tilescope.isNameResized = true;
        }
    }

    window.tilescope ||= {};
    window.tilescope.fitName = runsFitName;
    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, {runsFitName, runsColumnResized});
    window.dashAgGridComponentFunctions = Object.assign(window.dashAgGridComponentFunctions || {}, {HeadlineCell});
})();
