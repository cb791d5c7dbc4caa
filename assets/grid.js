/* The look of every grid. */
(function () {
    /* Made of the same variables as the page, so that it follows light and dark by itself. */
    function gridTheme(base) {
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

    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, {gridTheme});
})();
