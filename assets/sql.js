/* Ctrl+Enter in the editor of queries asks. */
(() => {
    "use strict";
    addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.id === "sql-text") {
            event.preventDefault();
            // the editor tells Dash what it holds when it loses the focus at the latest
            event.target.blur();
            setTimeout(() => document.getElementById("sql-ask").click(), 0);
            event.target.focus();
        }
    });
})();
