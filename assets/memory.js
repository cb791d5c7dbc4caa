/* Grids of attempts and of memory blocks: texts of their cells, and their keys. */
(function () {
    /* A share as a bar behind its number. */
    function tsShareBar(value) {
        if (window.dashAgGridFunctions.tsMissing(value)) {
            return null;
        }
        const share = Math.min(Math.max(Number(value), 0), 1) * 100;
        const colour = Number(value) > 1 ? "var(--ts-bar-over)" : "var(--ts-bar)";
        const bar = `linear-gradient(90deg, ${colour} ${share}%, transparent ${share}%)`;
        return {background: `${bar} 0 50% / 100% 18px no-repeat`};
    }

    /* Enter and space act like a click, by the same property of the grid. */
    function cellKey(params, setGridProps) {
        if (params.event.key === "Enter" || params.event.key === " ") {
            params.event.preventDefault();
            const {value, column, rowIndex, node} = params;
            setGridProps({
                cellClicked: {value, colId: column.getColId(), rowIndex, rowId: node.id, timestamp: Date.now()},
            });
        }
    }

    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, {
        tsShareBar, cellKey,
    });
})();
