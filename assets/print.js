/* Printing: a head with title, date and address, and every plot drawn at the width of the sheet. The drawing is
   synchronous, because the browser waits for no promise between `beforeprint` and the sheets. */
(function () {
    const print = matchMedia("print");
    const shrunk = [];
    let head = null;
    let recolour = null;
    let widthsOnScreen = [];

    const line = (className, text) => Object.assign(document.createElement("p"), {className, textContent: text});

    /* The day and time here, as "2026-11-27 18:05". */
    function now() {
        const here = new Date();
        const local = new Date(here.getTime() - here.getTimezoneOffset() * 60_000);
        return local.toISOString().slice(0, 16).replace("T", " ");
    }

    function makeHead() {
        const made = document.createElement("div");
        made.className = "ts-print-head";
        made.append(
            line("ts-print-title", document.title.replace(/ · Tilescope$/, "")),
            line("ts-muted", `Printed ${now()}`),
            line("ts-muted", location.href),
        );
        return made;
    }

    /* Makes grids and tables smaller that are wider than the sheet: a column that is cut off would be lost. A grid
       has only the columns in sight, so it keeps the width that it has on the screen. */
    function fitWide(grids) {
        for (const [grid, width] of grids) {
            const room = roomOf(grid);
            if (room > 0 && room < width) {
                shrink(grid, {width: `${width}px`, zoom: room / width});
            }
        }
        for (const table of document.querySelectorAll("main table")) {
            const room = roomOf(table);
            if (room > 0 && room < table.scrollWidth) {
                shrink(table, {zoom: room / table.scrollWidth});
            }
        }
    }

    function roomOf({parentElement}) {
        const {paddingLeft, paddingRight} = getComputedStyle(parentElement);
        return parentElement.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    }

    function shrink(element, style) {
        shrunk.push([element, element.getAttribute("style")]);
        Object.assign(element.style, style);
    }

    function unfitWide() {
        for (const [element, style] of shrunk.splice(0)) {
            element.setAttribute("style", style ?? "");
        }
    }

    const gridWidths = () => [...document.querySelectorAll("main .ag-root-wrapper")]
        .map((root) => /** @type {[HTMLElement, number]} */ ([root.parentElement, root.clientWidth]));

    function begin() {
        unfitWide();
        const grids = head ? widthsOnScreen : (widthsOnScreen = gridWidths());
        head?.remove();
        head = makeHead();
        document.body.prepend(head);
        document.documentElement.classList.add("ts-printing");
        fitWide(grids);
        recolour ??= window.tilescope.printColours.toLight();
        window.tilescope.drawPlotsNow(true, recolour);
        dispatchEvent(new Event("ts-printing"));
    }

    function end() {
        if (!head || print.matches) {
            return;
        }
        head.remove();
        head = null;
        document.documentElement.classList.remove("ts-printing");
        unfitWide();
        if (recolour) {
            window.tilescope.printColours.toDark();
            recolour = null;
        }
        window.tilescope.drawPlotsNow(false);
        dispatchEvent(new Event("ts-printing"));
    }

    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    print.addEventListener("change", () => (print.matches ? begin() : end()));
})();
