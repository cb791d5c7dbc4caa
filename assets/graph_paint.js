/* Paints the part of a graph in view: boxes with lines, boxes with names, or colours and density if zoomed out. */
(function () {
    const MIN_PX = 9;
    const FAR_K = 0.2;
    const FADED = 0.35;
    const MAX_CURVES = 2000;
    const MIN_BOX = 2;
    const ARROW = 7;
    const MAP_FROM = 150;
    const {MADE, REBUILT, REMOVED} = {MADE: 1, REBUILT: 2, REMOVED: 3};

    const levelOf = (k) => (k * tilescope.parts.places.FONT >= MIN_PX ? "boxes" : k >= FAR_K ? "names" : "far");

    /* Nodes and edges in view, by their numbers. */
    function inView(view) {
        const {shown, places, size, at} = view;
        const [x0, y0] = [-at.x / at.k, -at.y / at.k];
        const [x1, y1] = [x0 + size[0] / at.k, y0 + size[1] / at.k];
        const nodes = [];
        const {box, bounds} = places;
        for (let i = 0, j = 0; i < shown.visible.length; i++, j += 4) {
            const isAcross = box[j] < x1 && box[j] + box[j + 2] > x0;
            const isAlong = box[j + 1] < y1 && box[j + 1] + box[j + 3] > y0;
            if (shown.visible[i] && isAcross && isAlong) {
                nodes.push(i);
            }
        }
        const edges = [];
        for (let i = 0, j = 0; i < shown.edges.length; i++, j += 4) {
            if (bounds[j] < x1 && bounds[j + 2] > x0 && bounds[j + 1] <= y1 && bounds[j + 3] >= y0) {
                edges.push(i);
            }
        }
        return {nodes, edges};
    }

    function trace(context, {way, isDown, isBack}, isCurved) {
        context.moveTo(way[0], way[1]);
        for (let i = 2; i < way.length; i += 4) {
            context.lineTo(way[i], way[i + 1]);
            if (i + 3 < way.length) {
                const x0 = way[i];
                const y0 = way[i + 1];
                const x1 = way[i + 2];
                const y1 = way[i + 3];
                const length = isDown ? y1 - y0 : x1 - x0;
                const bend = isCurved && !isBack ? length / 2 : 0;
                if (!bend || (isDown ? x0 === x1 : y0 === y1)) {
                    context.lineTo(x1, y1);
                } else if (isDown) {
                    context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
                } else {
                    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
                }
            }
        }
    }

    /* The label of an edge: its port or the number of its ports; between blocks the condition of the jump. */
    const labelOf = (model, edge) => (model.columns.ways ? model.columns.ways[edge.port]
        : edge.ports > 1 ? `x${edge.ports}` : model.columns.operands[edge.to] > 1 ? String(edge.port) : "");

    const isBody = (model, edge) =>
        !model.columns.down && edge.port === 0 && /^(CALL|FUNCTION)$/.test(tilescope.parts.model.opOf(model, edge.to));
    const isGhost = (model, edge) =>
        model.columns.change[edge.from] === REMOVED || model.columns.change[edge.to] === REMOVED;

    function strokeEdges(view, edges, colour, width, isCurved, dash = []) {
        const {context} = view;
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.setLineDash(dash);
        context.beginPath();
        edges.forEach((edge) => trace(context, edge, isCurved));
        context.stroke();
        context.setLineDash([]);
    }

    function arrows(view, edges, colour) {
        const {context} = view;
        context.fillStyle = colour;
        context.beginPath();
        for (const {way, isDown, isBack} of edges) {
            const [x, y] = way.slice(-2);
            const [dx, dy] = isDown && !isBack ? [ARROW / 2, ARROW] : [ARROW, ARROW / 2];
            context.moveTo(x, y);
            context.lineTo(x - dx, y - dy);
            context.lineTo(isDown && !isBack ? x + dx : x - dx, isDown && !isBack ? y - dy : y + dy);
        }
        context.fill();
    }

    function ports(view, edges) {
        const {context, model, colours} = view;
        context.font = `${MIN_PX + 1}px ${colours.family}`;
        context.fillStyle = colours.muted;
        context.textAlign = "right";
        for (const edge of edges) {
            const label = labelOf(model, edge);
            if (label) {
                const [right, bottom] = edge.way.slice(-2);
                const [x, y, align] = edge.labelAt || [right - ARROW - 2, bottom - 3, "right"];
                context.textAlign = align;
                context.fillText(label, x, y);
            }
        }
        context.textAlign = "left";
    }

    /* Sets of edges that look alike: lit ones are drawn last. */
    function paintEdges(view, level, numbers) {
        const {context, model, shown, colours, selected} = view;
        const edges = numbers.map((rank) => shown.edges[rank]);
        const isCurved = edges.length <= MAX_CURVES;
        const width = Math.max(1.1, 0.9 / view.at.k);
        const [plain, calls, ghosts, into, out, taken, waits] = [[], [], [], [], [], [], []];
        for (const edge of edges) {
            const way = model.columns.ways?.[edge.port];
            const list = edge.to === selected ? into : edge.from === selected ? out : way === "taken" ? taken
                : way === "waits" ? waits
                : isGhost(model, edge) ? ghosts : way === "not taken" || isBody(model, edge) ? calls : plain;
            list.push(edge);
        }
        context.globalAlpha = selected >= 0 ? FADED : 1;
        strokeEdges(view, plain, colours.muted, width, isCurved);
        strokeEdges(view, calls, colours.muted, width, isCurved, [6, 4]);
        strokeEdges(view, ghosts, colours.removed, width, isCurved, [4, 4]);
        strokeEdges(view, taken, colours.ink, width, isCurved);
        strokeEdges(view, waits, colours.removed, 2 * width, isCurved);
        arrows(view, [...plain, ...calls], colours.muted);
        arrows(view, taken, colours.ink);
        arrows(view, waits, colours.removed);
        arrows(view, ghosts, colours.removed);
        if (level === "boxes") {
            ports(view, [...plain, ...calls, ...taken, ...waits]);
        }
        context.globalAlpha = 1;
        strokeEdges(view, into, colours.operand, 2 * width, true);
        strokeEdges(view, out, colours.user, 2 * width, true);
        arrows(view, into, colours.operand);
        arrows(view, out, colours.user);
        if (level === "boxes") {
            ports(view, [...into, ...out]);
        }
    }

    /* The number of nodes that are folded into a box, at the right of its first line. */
    function markOf(view, at) {
        const count = view.shown.fold[at];
        return count ? (view.shown.cuts.has(at) ? `+${count}` : `×${count}`) : "";
    }

    function outlineOf(view, at) {
        const {colours, model} = view;
        const kind = colours.kinds[model.columns.kinds[model.columns.kind[at]]] || colours.kinds.other;
        const change = model.columns.change[at];
        if (at === view.selected) {
            return {colour: colours.selected, width: 3, dash: []};
        }
        if (view.lit.operands.has(at)) {
            return {colour: colours.operand, width: 2.5, dash: []};
        }
        if (view.lit.users.has(at)) {
            return {colour: colours.user, width: 2.5, dash: []};
        }
        return change === MADE ? {colour: colours.made, width: 3.5, dash: []}
            : change === REBUILT ? {colour: colours.made, width: 1.5, dash: [5, 3]}
                : change === REMOVED ? {colour: colours.removed, width: 1.5, dash: [5, 3]}
                    : {colour: kind.outline, width: 1.2, dash: []};
    }

    const kindOf = (view, at) =>
        view.colours.kinds[view.model.columns.kinds[view.model.columns.kind[at]]] || view.colours.kinds.other;
    const isFaded = (view, at) =>
        view.selected >= 0 && at !== view.selected && !view.lit.operands.has(at) && !view.lit.users.has(at);
    const SIGNS = {1: "+", 3: "−"};

    /* Boxes in groups of one look, so that a frame sets few colours. */
    function paintBoxes(view, nodes) {
        const {context, places} = view;
        const groups = new Map();
        for (const at of nodes) {
            const outline = outlineOf(view, at);
            const kind = kindOf(view, at);
            const faded = isFaded(view, at);
            const key = `${kind.fill} ${outline.colour} ${outline.width} ${outline.dash} ${faded}`;
            (groups.get(key) || groups.set(key, {outline, kind, faded, nodes: []}).get(key)).nodes.push(at);
        }
        for (const {outline, kind, faded, nodes: own} of groups.values()) {
            context.globalAlpha = faded ? FADED : 1;
            context.fillStyle = view.colours.background;
            context.beginPath();
            own.forEach((at) => context.rect(...places.box.subarray(4 * at, 4 * at + 4)));
            if (faded) {
                context.globalAlpha = 1;
                context.fill();
                context.globalAlpha = FADED;
            }
            context.fillStyle = kind.fill;
            context.fill();
            context.strokeStyle = outline.colour;
            context.lineWidth = Math.max(outline.width, outline.width * 0.7 / view.at.k);
            context.setLineDash(outline.dash);
            context.stroke();
        }
        context.setLineDash([]);
        context.globalAlpha = 1;
        rings(view, nodes);
    }

    function rings(view, nodes) {
        const {context, places, found, colours} = view;
        const own = nodes.filter((at) => found.has(at));
        if (!own.length) {
            return;
        }
        context.strokeStyle = colours.found;
        context.lineWidth = Math.max(3, 2 / view.at.k);
        context.beginPath();
        for (const at of own) {
            const [x, y, w, h] = places.box.subarray(4 * at, 4 * at + 4);
            context.rect(x - 5, y - 5, w + 10, h + 10);
        }
        context.stroke();
    }

    function paintLabels(view, nodes) {
        const {context, model, places, colours} = view;
        const {font, line, padX, padY, box} = places;
        context.textBaseline = "middle";
        for (const at of nodes) {
            const [x, y, w] = box.subarray(4 * at, 4 * at + 3);
            context.globalAlpha = isFaded(view, at) ? FADED : 1;
            context.fillStyle = kindOf(view, at).ink;
            tilescope.parts.model.linesOf(model, at).forEach((text, rank) => {
                context.font = `${rank ? "" : "bold "}${font}px ${colours.family}`;
                context.fillText(text, x + padX, y + padY + (rank + 0.5) * line, w - 2 * padX);
            });
            corners(view, at);
        }
        context.globalAlpha = 1;
        context.textBaseline = "alphabetic";
    }

    /* What is folded into a box, its tag, its address space, and the sign of what a match did to it. */
    function corners(view, at) {
        const {context, model, places, colours} = view;
        const [x, y, w] = places.box.subarray(4 * at, 4 * at + 3);
        const mark = [SIGNS[model.columns.change[at]] || "", markOf(view, at)].filter(Boolean).join(" ");
        context.textAlign = "right";
        if (mark) {
            context.font = `bold ${places.font}px ${colours.family}`;
            context.fillText(mark, x + w - places.padX / 2, y + places.padY + 0.5 * places.line);
        }
        context.textAlign = "left";
        const tag = model.columns.tags[at];
        if (tag) {
            const text = tag.length > 14 ? tag.slice(0, 13) + "…" : tag;
            badge(view, text, (wide) => x + w - wide - 4, y);
        }
        const space = model.columns.spaces?.[at];
        if (space) {
            badge(view, space, () => x + 4, y);
        }
    }

    /* A word on the upper edge of a box; `leftOf` places it by its width. */
    function badge({context, colours}, text, leftOf, y) {
        context.font = `${MIN_PX}px ${colours.family}`;
        const wide = context.measureText(text).width + 8;
        const x = leftOf(wide);
        context.fillStyle = colours.raised;
        context.strokeStyle = colours.muted;
        context.lineWidth = 1;
        context.beginPath();
        context.rect(x, y - 8, wide, 13);
        context.fill();
        context.stroke();
        context.fillStyle = colours.ink;
        context.fillText(text, x + 4, y - 1.5);
    }

    const widthOfText = (text) => text.length * MIN_PX * 0.61 + 4;

    /* Whether the name of a node fits into its box at the size that can just be read. */
    const fitsName = (view, at) =>
        widthOfText(tilescope.parts.model.opOf(view.model, at)) <= view.places.box[4 * at + 2] * view.at.k
        && view.places.box[4 * at + 3] * view.at.k >= MIN_PX + 2;

    function paintNames(view, nodes) {
        const {context, places, at: {x, y, k}, model} = view;
        context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
        context.font = `bold ${MIN_PX}px ${view.colours.family}`;
        context.textAlign = "center";
        context.textBaseline = "middle";
        for (const node of nodes) {
            if (fitsName(view, node)) {
                const [bx, by, w, h] = places.box.subarray(4 * node, 4 * node + 4);
                context.globalAlpha = isFaded(view, node) ? FADED : 1;
                context.fillStyle = kindOf(view, node).ink;
                context.fillText(tilescope.parts.model.opOf(model, node), x + k * (bx + w / 2), y + k * (by + h / 2));
            }
        }
        context.globalAlpha = 1;
        context.textAlign = "left";
        context.textBaseline = "alphabetic";
    }

    /* Boxes as plain colours, never too small to be seen. */
    function paintDots(view, nodes) {
        const {context, places, at: {x, y, k}} = view;
        context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
        const byChange = {1: view.colours.made, 3: view.colours.removed};
        const byColour = new Map();
        for (const at of nodes) {
            const colour = at === view.selected ? view.colours.selected
                : byChange[view.model.columns.change[at]] || kindOf(view, at).far;
            (byColour.get(colour) || byColour.set(colour, []).get(colour)).push(at);
        }
        for (const [colour, own] of byColour) {
            context.fillStyle = colour;
            for (const at of own) {
                const [bx, by, w, h] = places.box.subarray(4 * at, 4 * at + 4);
                context.fillRect(x + k * bx, y + k * by, Math.max(MIN_BOX, k * w), Math.max(MIN_BOX, k * h));
            }
        }
        context.strokeStyle = view.colours.found;
        context.lineWidth = 2;
        for (const at of view.found) {
            const [bx, by, w, h] = places.box.subarray(4 * at, 4 * at + 4);
            context.strokeRect(x + k * bx - 3, y + k * by - 3, k * w + 6, k * h + 6);
        }
    }

    function paint(view) {
        const {context, size, ratio, at, colours} = view;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.globalAlpha = 1;
        context.fillStyle = colours.background;
        context.fillRect(0, 0, size[0], size[1]);
        if (!view.places) {
            return;
        }
        const level = levelOf(at.k);
        const {nodes, edges} = inView(view);
        if (level === "far") {
            tilescope.parts.far.paintDensity(view);
            const lit = view.selected < 0 ? [] : edges.map((rank) => view.shown.edges[rank]).filter(
                (edge) => edge.from === view.selected || edge.to === view.selected);
            context.setTransform(ratio * at.k, 0, 0, ratio * at.k, ratio * at.x, ratio * at.y);
            strokeEdges(view, lit.filter((edge) => edge.to === view.selected), colours.operand, 1.5 / at.k, true);
            strokeEdges(view, lit.filter((edge) => edge.from === view.selected), colours.user, 1.5 / at.k, true);
            paintDots(view, nodes);
        } else {
            context.setTransform(ratio * at.k, 0, 0, ratio * at.k, ratio * at.x, ratio * at.y);
            paintEdges(view, level, edges);
            paintBoxes(view, nodes);
            (level === "boxes" ? paintLabels : paintNames)(view, nodes);
        }
        if (view.mapBox) {
            tilescope.parts.far.paintMap(view);
        }
    }

    ((window.tilescope ||= {}).parts ||= {}).paint = {
        paint, inView, levelOf, labelOf, outlineOf, kindOf, fitsName, markOf, trace, MIN_PX, MAP_FROM,
    };
})();
