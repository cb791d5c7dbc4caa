/* Columns of the list of runs: the cell of the headline, and the width of the name. */
(function () {
    const HeadlineCell = ({value, data}) => (data.headline_kind
        ? React.createElement("span", {"data-headline": data.headline_kind}, value)
        : value);

    const MIN_NAME_PX = 240;
    /* Widths of what a cell has besides the text of a name: its padding, and the marks of note and pin. */
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

    /* The name takes the width that other columns leave free, but not more than its longest text needs: a grid has no
       flexible width for a pinned column. */
    function runsFitName({api}) {
        const panel = document.getElementById("runs-grid");
        if (!panel?.clientWidth || api.isDestroyed() || isResizedByUser()) {
            return;
        }
        const others = api.getAllDisplayedColumns().filter((column) => column.getColId() !== "name");
        const taken = others.reduce((sum, column) => {
            const {flex, minWidth} = column.getColDef();
            return sum + (flex ? minWidth : column.getActualWidth());
        }, SCROLLBAR_PX);
        // On a narrow screen half of the grid is left for the numbers.
        const least = Math.min(MIN_NAME_PX, panel.clientWidth / 2);
        const newWidth = Math.max(least, Math.min(panel.clientWidth - taken, longestName(api)));
        if (api.getColumn("name")?.getActualWidth() !== newWidth) {
            api.setColumnWidths([{key: "name", newWidth}]);
        }
    }

    function runsColumnResized({column, source}) {
        if (source === "uiColumnResized" && column?.getColId() === "name") {
            window.tilescope.isNameResized = true;
        }
    }

    window.tilescope ||= {};
    window.tilescope.fitName = runsFitName;
    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, {runsFitName, runsColumnResized});
    window.dashAgGridComponentFunctions = Object.assign(window.dashAgGridComponentFunctions || {}, {HeadlineCell});
})();
