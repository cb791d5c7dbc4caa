/* Paints the bars of a timeline that are in view: grid, the parts in order, iterations. `view` maps times and rows to
   pixels: {left, right} in ticks, `perTick`, `y(row)` and `rowPx`, and the plot's area {x0, y0, width, height}. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const BAR = 0.86; // share of a row's height
    const HATCH_INK = 0.35;
    const MIN_TEXT_PX = 20;
    const MAX_TEXTS = 800;
    const CHARACTER_PX = 6.9; // of the numbers of iterations, with room
    const TEXT_PAD_PX = 4;
    const MIN_PAD_PX = 2; // on both sides of a name that fills its bar
    const MIN_CUT = 2; // characters before an ellipsis
    const MAX_WIDTHS = 20000;
    const STRONG_PX = 4;
    const LABEL_PX = 11; // middle of the labels of ticks, below the plot's area
    const TITLE_RISE_PX = 4; // plotly places a title by its base line
    const MAX_OUTLINED = 100;
    const HOLLOW = {"left out": "slash", "unfinished": "dots"};

    let family = "";

    /* The font of the page, looked up once: a look-up may lay out the page. */
    function font(pen, px) {
        family ||= getComputedStyle(document.body).fontFamily;
        pen.font = `${px}px ${family}`;
    }

    /* Lines at the ticks, and their texts and the axis' title while plotly does not draw them. */
    function paintAxis(pen, view, look, {tickvals, ticktext, title, titleY}) {
        const places = tickvals.map((at) => (at - view.left) * view.perTick);
        pen.fillStyle = look.grid;
        places.forEach((x) => pen.fillRect(Math.round(x), 0, 1, view.height));
        if (ticktext) {
            pen.textAlign = "center";
            pen.fillStyle = look.muted;
            ticktext.forEach((text, rank) => pen.fillText(text, places[rank], view.height + LABEL_PX));
            font(pen, 12);
            pen.fillText(title, view.width / 2, titleY - view.y0 - TITLE_RISE_PX);
            font(pen, 11);
        }
    }

    const EVERYWHERE = [-Infinity, Infinity];

    /* From the left edge of a bar to its width, at least a pixel and cut at the edges of the view and of a span. */
    function box(view, start, end, span = EVERYWHERE) {
        const x = Math.max((Math.max(start, span[0]) - view.left) * view.perTick, -2);
        const right = Math.min((Math.min(end, span[1]) - view.left) * view.perTick, view.width + 2);
        return [x, Math.max(right - x, 1)];
    }

    /** @type {Map<string, number>} */
    const widths = new Map();

    /* The width of a text in pixels, measured once: each frame paints the same names. */
    function widthOf(pen, text) {
        let width = widths.get(text);
        if (width === undefined) {
            if (widths.size >= MAX_WIDTHS) {
                widths.clear();
            }
            width = pen.measureText(text).width;
            widths.set(text, width);
        }
        return width;
    }

    /* A name as it fits into a bar: whole, cut with an ellipsis, or "" if fewer than MIN_CUT characters fit. */
    function fitted(pen, text, width) {
        const room = width - 2 * MIN_PAD_PX;
        const whole = widthOf(pen, text);
        if (whole <= room) {
            return text;
        }
        for (let length = Math.floor(text.length * room / whole); length >= MIN_CUT; length--) {
            const cut = `${text.slice(0, length)}…`;
            if (widthOf(pen, cut) <= room) {
                return cut;
            }
        }
        return "";
    }

    function hatchOf(model, part, row, at) {
        return HOLLOW[part.role] || model.rows.hatch[row] || (part.copies[part.name[at]] ? "copy" : "");
    }

    /* A bar whose colour is only in its hatch and its outline. */
    function paintHollow(pen, view, look, hatch, colour, place) {
        const [x, width, top, height] = place;
        pen.fillStyle = look.panel;
        pen.fillRect(x, top, width, height);
        pen.fillStyle = parts.hatch.pattern(pen, hatch, colour, view.ratio);
        pen.fillRect(x, top, width, height);
        pen.strokeStyle = colour;
        pen.lineWidth = 1;
        pen.strokeRect(x + 0.5, top + 0.5, Math.max(width - 1, 0.5), height - 1);
    }

    function outline(pen, look, place) {
        const [x, width, top, height] = place;
        pen.strokeStyle = look.selection;
        pen.lineWidth = 1.5;
        pen.strokeRect(x, top, width, height);
    }

    function paintBar(pen, model, view, {part, faded}, row, at, place) {
        const {look} = model;
        const colour = part.colours[part.name[at]];
        const [x, width, top, height] = place;
        const hatch = hatchOf(model, part, row, at);
        pen.globalAlpha = part.density[at] * (faded[at] ? look.fade : 1);
        if (HOLLOW[part.role]) {
            paintHollow(pen, view, look, hatch, colour, place);
            return;
        }
        pen.fillStyle = colour;
        pen.fillRect(x, top, width, height);
        if (hatch && width > 2) {
            pen.globalAlpha *= HATCH_INK;
            pen.fillStyle = parts.hatch.pattern(pen, hatch, part.inks[part.name[at]], view.ratio);
            pen.fillRect(x, top, width, height);
        }
    }

    /* Paints the bars of a row and returns those with room for their name. */
    function paintLane(pen, model, view, layer, row, {from, to}) {
        const {part, span} = layer;
        const left = Math.max(view.left, span[0]);
        const right = Math.min(view.right, span[1]);
        const height = BAR * view.rowPx;
        const top = view.y(model.rows.y[row]) - height / 2;
        const few = part.start.length <= MAX_OUTLINED;
        const roomy = [];
        const first = parts.bars.firstAbove(part.end, left - 1, from, to);
        for (let at = first; at < to && part.start[at] <= right; at++) {
            const [x, width] = box(view, part.start[at], part.end[at], span);
            const place = [x, width, top, height];
            paintBar(pen, model, view, layer, row, at, place);
            if (part.role === "lit" && (few || width >= STRONG_PX)) {
                outline(pen, model.look, place);
            }
            // The name is in the span in which the bar begins, with room up to the end of the bar.
            const isElsewhere = part.start[at] < left && left > view.left;
            const room = isElsewhere ? 0 : box(view, part.start[at], part.end[at])[1];
            if (room >= MIN_TEXT_PX && part.count[at] === 1 && !HOLLOW[part.role]) {
                roomy.push([at, x, Math.max(width, room), top + height / 2]);
            }
        }
        return roomy;
    }

    function paintNames(pen, {part, faded}, roomy) {
        pen.textAlign = "left";
        for (const [at, x, width, middle] of roomy) {
            const begin = Math.max(x, 0);
            const room = x + width - begin;
            const text = fitted(pen, part.names[part.name[at]], room);
            if (text && !faded[at]) {
                const pad = Math.min(TEXT_PAD_PX, (room - widthOf(pen, text)) / 2);
                pen.globalAlpha = 1;
                pen.fillStyle = part.inks[part.name[at]];
                pen.fillText(text, begin + pad, middle);
            }
        }
    }

    /* Paints the bars of a layer and returns those with room for their name. */
    function paintPart(pen, model, view, layer) {
        const {part, rowOf} = layer;
        return part.lanes.flatMap((lane) => {
            const row = rowOf ? rowOf.get(lane.row) : lane.row;
            return row === undefined ? [] : paintLane(pen, model, view, layer, row, lane);
        });
    }

    /* Paint neighbouring layers, then their names: a bar may continue in the next layer. */
    function paintGroup(pen, model, view, layers) {
        const roomy = layers.map((layer) => paintPart(pen, model, view, layer));
        layers.forEach((layer, rank) => {
            // The lanes of a capture's events are named at the left.
            if (model.named || layer.part.role === "kernel") {
                paintNames(pen, layer, roomy[rank].slice(0, MAX_TEXTS));
            }
        });
    }

    function paintIteration(pen, model, view, at, place) {
        const [x, width, top, height] = place;
        const {iterations, look} = model;
        const name = iterations.name[at];
        const colour = iterations.colours[name];
        pen.globalAlpha = iterations.faded[at] ? look.fade : 1;
        pen.fillStyle = iterations.partial[at] ? parts.hatch.pattern(pen, "slash", colour, view.ratio) : colour;
        pen.fillRect(x, top, width, height);
        const text = String(iterations.number[at]);
        if (width > CHARACTER_PX * (text.length + 0.5)) {
            pen.globalAlpha = 1;
            pen.fillStyle = iterations.inks[name][2 * iterations.partial[at] + iterations.faded[at]];
            pen.fillText(text, x + width / 2, top + height / 2);
        }
    }

    function paintIterations(pen, model, view) {
        const {iterations} = model;
        const height = view.rowPx;
        pen.textAlign = "center";
        for (let at = 0; iterations && at < iterations.start.length; at++) {
            if (iterations.end[at] >= view.left && iterations.start[at] <= view.right) {
                const [x, width] = box(view, iterations.start[at], iterations.end[at]);
                paintIteration(pen, model, view, at, [x, width, view.y(0) - height / 2, height]);
            }
        }
    }

    function paint(pen, model, view, axis, groups, stretches = null) {
        pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
        pen.clearRect(0, 0, ...view.whole);
        pen.translate(view.x0, view.y0);
        pen.globalAlpha = 1;
        pen.textBaseline = "middle";
        font(pen, 11);
        paintAxis(pen, view, model.look, axis);
        pen.save();
        pen.beginPath();
        pen.rect(0, 0, view.width, view.height);
        pen.clip();
        groups.forEach((layers) => paintGroup(pen, model, view, layers));
        paintIterations(pen, model, view);
        parts.counters?.paint(pen, model, view, stretches);
        pen.restore();
    }

    parts.paint = {paint};
})();
