/* The pointer on a timeline: the card of the bar below it, clicks, and dragging. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const SLACK_PX = 4;
    const CLICK_PX = 5;
    const CARD_GAP_PX = 14;
    const PANNING = "ts-panning";

    const areaOf = (plot) => plot.querySelector(".nsewdrag")?.getBoundingClientRect();

    /* The bar or iteration at the pointer; null outside of the plot's area and between bars. */
    function findAt(plot, event) {
        const area = areaOf(plot);
        const model = parts.layer.modelOf(plot);
        const [x, y] = area ? [event.clientX - area.left, event.clientY - area.top] : [-1, -1];
        if (!model || x < 0 || y < 0 || x > area.width || y > area.height) {
            return null;
        }
        const view = parts.layer.viewOf(plot);
        const time = view.left + x / view.perTick;
        const row = (y - view.y(0)) / view.rowPx;
        return parts.bars.find(model, time, row, SLACK_PX / view.perTick, parts.layer.layersOf(plot))
            || parts.counters.find(model, time, row, parts.layer.stretchesOf(plot));
    }

    function hideCard(plot) {
        plot.querySelector(".ts-bar-card")?.remove();
    }

    function showCard(plot, event, lines) {
        const card = parts.layer.element(plot, "ts-bar-card", "div");
        card.replaceChildren(...lines.map((line, rank) => {
            const row = document.createElement(rank ? "div" : "b");
            row.textContent = line;
            return row;
        }));
        const room = plot.getBoundingClientRect();
        const [x, y] = [event.clientX - room.left, event.clientY - room.top];
        const isRoomy = x + CARD_GAP_PX + card.offsetWidth <= room.width;
        const left = isRoomy ? x + CARD_GAP_PX : x - CARD_GAP_PX - card.offsetWidth;
        card.style.left = `${Math.max(left, 0)}px`;
        card.style.top = `${Math.max(Math.min(y, room.height - card.offsetHeight), 0)}px`;
    }

    /* Where along a plot's width the pointer is, 0 to 1; null beside its area. */
    function shareAt(plot, event) {
        const area = areaOf(plot);
        const share = area ? (event.clientX - area.left) / area.width : -1;
        return share >= 0 && share <= 1 ? share : null;
    }

    function hover(plot, event) {
        const share = shareAt(plot, event);
        parts.hand.pointer = share === null ? null : {plot, share};
        const found = event.buttons || !event.target.closest(".draglayer") ? null : findAt(plot, event);
        if (found) {
            showCard(plot, event, parts.words.linesOf(parts.layer.modelOf(plot), found));
        } else {
            hideCard(plot);
        }
    }

    /* A bar that is clicked, as plotly would tell Dash: start, end and the middle of its row. */
    function click(plot, event) {
        const found = findAt(plot, event);
        const graph = plot.closest(".dash-graph");
        if (!graph || !found?.part || !window.dash_clientside) {
            return;
        }
        const {part, at, row} = found;
        const point = {base: part.start[at], x: part.end[at], y: parts.layer.modelOf(plot).rows.y[row]};
        dash_clientside.set_props(graph.id, {clickData: {points: [point]}});
    }

    /* A drag with the main button pans; with shift it is plotly's, which selects a window. */
    function drag(plot, down) {
        const from = parts.layer.rangeOf(plot);
        const perTick = areaOf(plot).width / (from[1] - from[0]);
        let isPan = false;

        function pan(event) {
            const pixels = event.clientX - down.clientX;
            isPan ||= Math.abs(pixels) >= CLICK_PX;
            if (isPan) {
                plot.classList.add(PANNING);
                parts.hand.move(from.map((time) => time - pixels / perTick));
            }
        }

        function end(event) {
            removeEventListener("pointermove", pan, true);
            removeEventListener("pointerup", end, true);
            removeEventListener("pointercancel", end, true);
            if (isPan) {
                // There may be no event for the last moves before a button goes up.
                pan(event);
                plot.classList.remove(PANNING);
            } else if (event.type === "pointerup") {
                click(plot, event);
            }
        }

        addEventListener("pointermove", pan, true);
        addEventListener("pointerup", end, true);
        addEventListener("pointercancel", end, true);
    }

    const isPan = (event) => event.button === 0 && !event.shiftKey && event.target.closest(".nsewdrag");

    function zoom(plot, event) {
        const area = areaOf(plot);
        if (!area || !(event.ctrlKey || event.metaKey)) {
            return;
        }
        // Else the browser would zoom the page.
        event.preventDefault();
        parts.hand.wheel(plot, event.deltaY, Math.min(Math.max((event.clientX - area.left) / area.width, 0), 1));
    }

    function follow(plot) {
        plot.addEventListener("pointermove", (event) => hover(plot, event));
        plot.addEventListener("pointerenter", () => parts.layer.wake(plot));
        plot.addEventListener("pointerleave", () => {
            parts.hand.pointer = null;
            hideCard(plot);
        });
        plot.addEventListener("wheel", (event) => zoom(plot, event), {passive: false});
        plot.addEventListener("pointerdown", (event) => {
            hideCard(plot);
            if (event.pointerType === "mouse" && isPan(event)) {
                drag(plot, event);
            }
        }, true);
        plot.addEventListener("mousedown", (event) => {
            if (isPan(event)) {
                // Plotly would pan too; a field that has the focus would get the keys.
                event.stopPropagation();
                event.preventDefault();
                /** @type {HTMLElement} */ (document.activeElement)?.blur();
            }
        }, true);
    }

    parts.pointer = {follow};
})();
