/* The page of queries: Ctrl+Enter in its editor runs the query; ids of runs in a result link to their pages. */
(() => {
    addEventListener("keydown", (/** @type {KeyPress} */ event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.id === "sql-text") {
            event.preventDefault();
            // the editor gives Dash its text when it loses the focus at the latest
            event.target.blur();
            setTimeout(() => document.getElementById("sql-ask").click(), 0);
            event.target.focus();
        }
    });

    const ID = /^[0-9a-f]{12,64}$/;
    const RunId = ({value}) => (ID.test(value ?? "") ? tilescope.cellLink(`/run/${value}`, value) : value);
    window.dashAgGridComponentFunctions = Object.assign(window.dashAgGridComponentFunctions || {}, {RunId});
})();
