/* Columns that only some runs have: shown while a listed run has a value there. */
(function () {
    function hideEmpty(params, fields) {
        const filled = new Set();
        params.api.forEachNode((node) => {
            fields.forEach((field) => {
                const value = node.data?.[field];
                if (value !== null && value !== undefined) {
                    filled.add(field);
                }
            });
        });
        // A column that sorts stays: what orders the rows is seen.
        const sorting = params.api.getColumnState().filter((state) => state.sort).map((state) => state.colId);
        const shown = (field) => filled.has(field) || sorting.includes(field) || !params.api.getDisplayedRowCount();
        params.api.setColumnsVisible(fields.filter(shown), true);
        params.api.setColumnsVisible(fields.filter((field) => !shown(field)), false);
    }

    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, {hideEmpty});
})();
