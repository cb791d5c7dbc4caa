/* Places of the nodes shown: widths of columns, heights of rows, rows near their neighbours, paths of edges. */
(function () {
    const FONT = 11;
    const LINE = 14;
    const PAD_X = 9;
    const PAD_Y = 6;
    const GAP_Y = 16;
    const PASSING = 5;
    const MARK = 4; // characters next to the operation, for the number of folded nodes
    const SWEEPS = 6;
    const PORT = 12;
    const MAX_PORTS = 24;
    const MIN_GAP = 64;
    const MAX_GAP = 220;
    const DOWN_GAP = 40;

    let charWidth = 0;
    /* The font has one width for all signs: it is measured once. */
    function widthOfChar(context, family) {
        if (!charWidth) {
            context.font = `bold ${FONT}px ${family}`;
            charWidth = context.measureText("M".repeat(50)).width / 50;
        }
        return charWidth;
    }

    /* Which slots take room: those of nodes that are not folded away, and of long edges that are drawn. */
    function activeSlots(model, shown) {
        const {slots, slot, passed} = model.columns;
        const active = Uint8Array.from(slots.chars, (chars) => (chars > 0 ? 1 : 0));
        for (let at = 0; at < model.count; at++) {
            const kept = shown.visible[at] || model.columns.change[at] === tilescope.parts.model.REMOVED;
            active[slot[at]] = kept ? 1 : 0;
        }
        for (const edge of shown.edges) {
            const layers = model.layerOf[edge.to] - model.layerOf[edge.from];
            edge.isDown = Boolean(model.columns.down);
            edge.isBack = edge.isDown && layers <= 0;
            edge.via = edge.isBack ? [] : (passed[edge.from] || []).slice(0, layers - 1);
            edge.via.forEach((one) => { active[one] = 1; });
        }
        return active;
    }

    /* Moves the slots of a layer to where they want to be as far as their order lets them: pools of neighbours that
       would overlap move together (pool adjacent violators). `begin` and `end` are places in `rows`. */
    function settle(rows, begin, end, wanted, weight, height, middle, pools) {
        let count = 0;
        let offset = 0;
        for (let i = begin; i < end; i++) {
            const slot = rows[i];
            if (i > begin) {
                offset += (height[rows[i - 1]] + height[slot]) / 2 + gapOf(height, rows[i - 1], slot);
            }
            pools.offset[i] = offset;
            pools.value[count] = wanted[slot] - offset;
            pools.weight[count] = weight[slot];
            pools.first[count] = i;
            while (count && pools.value[count - 1] >= pools.value[count]) {
                const both = pools.weight[count - 1] + pools.weight[count];
                pools.value[count - 1] = (pools.value[count - 1] * pools.weight[count - 1]
                    + pools.value[count] * pools.weight[count]) / both;
                pools.weight[count - 1] = both;
                count--;
            }
            count++;
        }
        for (let pool = 0; pool < count; pool++) {
            const last = pool + 1 < count ? pools.first[pool + 1] : end;
            for (let i = pools.first[pool]; i < last; i++) {
                middle[rows[i]] = pools.value[pool] + pools.offset[i];
            }
        }
    }

    const gapOf = (height, above, below) =>
        (height[above] <= PASSING && height[below] <= PASSING ? PASSING : GAP_Y);

    /* Middles of the slots, by sweeps over the layers that move each slot towards the mean of its neighbours. */
    function middles(model, active, height) {
        const {layers, links} = model.columns.slots;
        const count = height.length;
        const rows = Int32Array.from([...active.keys()].filter((slot) => active[slot]));
        const starts = new Int32Array(layers.length + 1);
        rows.forEach((slot) => { starts[model.layerOfSlot[slot] + 1]++; });
        for (let layer = 0; layer < layers.length; layer++) {
            starts[layer + 1] += starts[layer];
        }
        const ends = [[], []];
        for (let i = 0; i < links.length; i += 2) {
            if (active[links[i]] && active[links[i + 1]]) {
                ends[0].push(links[i]);
                ends[1].push(links[i + 1]);
            }
        }
        const joined = ends.map((keys) => tilescope.parts.model.listed(count, keys));
        const middle = new Float64Array(count);
        const wanted = new Float64Array(count);
        const weight = new Float64Array(count).fill(1);
        const zeros = () => new Float64Array(rows.length + 1);
        const pools = {offset: zeros(), value: zeros(), weight: zeros(), first: new Int32Array(rows.length + 1)};
        for (let layer = 0; layer < layers.length; layer++) {
            settle(rows, starts[layer], starts[layer + 1], wanted, weight, height, middle, pools);
        }
        for (let sweep = 0; sweep < SWEEPS; sweep++) {
            const isForward = sweep % 2 === 0;
            for (let step = 0; step < layers.length; step++) {
                const layer = isForward ? step : layers.length - 1 - step;
                for (let i = starts[layer]; i < starts[layer + 1]; i++) {
                    const slot = rows[i];
                    let sum = 0;
                    let all = 0;
                    for (let side = 0; side < 2; side++) {
                        const list = joined[side];
                        const importance = (side === 1) === isForward ? 1 : 0.25;
                        for (let j = list.starts[slot]; j < list.starts[slot + 1]; j++) {
                            const other = ends[1 - side][list.items[j]];
                            const straight = height[slot] <= PASSING && height[other] <= PASSING ? 8 : 1;
                            sum += importance * straight * middle[other];
                            all += importance * straight;
                        }
                    }
                    wanted[slot] = all ? sum / all : middle[slot];
                    weight[slot] = all ? 1 : 0.1;
                }
                settle(rows, starts[layer], starts[layer + 1], wanted, weight, height, middle, pools);
            }
        }
        return middle;
    }

    /* Left and right of each layer; where many edges go up and down between two layers, there is more room. */
    function columnsOf(model, shown, active, width) {
        const count = model.columns.slots.layers.length;
        const wide = new Float64Array(count);
        active.forEach((is, slot) => {
            if (is) {
                const layer = model.layerOfSlot[slot];
                wide[layer] = Math.max(wide[layer], width[slot]);
            }
        });
        const crossing = new Float64Array(count);
        shown.edges.forEach((edge) => { crossing[model.layerOf[edge.to]]++; });
        const left = new Float64Array(count);
        const right = new Float64Array(count);
        let x = 0;
        for (let layer = 0; layer < count; layer++) {
            if (layer && wide[layer]) {
                x += Math.min((model.columns.down ? DOWN_GAP : MIN_GAP) + 3 * crossing[layer] ** 0.75, MAX_GAP);
            }
            left[layer] = x;
            x += wide[layer];
            right[layer] = x;
        }
        return {left, right};
    }

    const isPlain = (line) => /^[\x20-\x7e…]*$/.test(line);

    function sizeOf(model, at, char, ports) {
        const lines = tilescope.parts.model.linesOf(model, at);
        const longest = Math.max(...lines.map((line) => line.length));
        // The server knows which signs are wide.
        const chars = lines.every(isPlain) ? longest : model.columns.slots.chars[model.columns.slot[at]];
        const high = lines.length * LINE + 2 * PAD_Y;
        const width = (Math.max(chars, 4) + MARK) * char + 2 * PAD_X;
        const size = [width, Math.max(high, Math.min(ports, MAX_PORTS) * PORT)];
        return model.columns.down ? [high, size[0]] : size;
    }

    /* Where the edges of a user come in: a place for each of its shown operands, in the order of ports; returns how
       many each node has. */
    function portPlaces(model, shown) {
        const byUser = new Map();
        for (const edge of shown.edges) {
            (byUser.get(edge.to) || byUser.set(edge.to, []).get(edge.to)).push(edge);
        }
        for (const edges of byUser.values()) {
            edges.sort((a, b) => a.port - b.port);
            edges.forEach((edge, rank) => { edge.share = (rank + 1) / (edges.length + 1); });
        }
        shown.edges.forEach((edge) => { edge.leave = 0.5; });
        return Int32Array.from({length: model.count}, (_, at) => byUser.get(at)?.length ?? 0);
    }

    /* The way of an edge: places where it runs level, in pairs; between the pairs it bends. */
    function wayOf(model, edge, places, columns, middle) {
        const {box} = places;
        const [from, to] = [edge.from, edge.to];
        const begin = model.layerOf[from];
        const y = box[4 * from + 1] + box[4 * from + 3] * edge.leave;
        const end = box[4 * to + 1] + box[4 * to + 3] * edge.share;
        const way = [box[4 * from] + box[4 * from + 2], y, columns.right[begin], y];
        edge.via.forEach((slot, step) => {
            const layer = begin + 1 + step;
            way.push(columns.left[layer], middle[slot], columns.right[layer], middle[slot]);
        });
        way.push(columns.left[model.layerOf[to]], end, box[4 * to], end);
        edge.way = way;
    }

    function boundsOf(edge) {
        let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
        for (let i = 0; i < edge.way.length; i += 2) {
            x0 = Math.min(x0, edge.way[i]);
            x1 = Math.max(x1, edge.way[i]);
            y0 = Math.min(y0, edge.way[i + 1]);
            y1 = Math.max(y1, edge.way[i + 1]);
        }
        return [x0, y0, x1, y1];
    }

    /* Boxes (x, y, width, height by node) of the nodes shown, bounds of edges, and bounds of all. */
    function place(model, shown, context, family) {
        const char = widthOfChar(context, family);
        const {slots, slot} = model.columns;
        const active = activeSlots(model, shown);
        const ports = portPlaces(model, shown);
        const high = (lines, none) => (lines ? lines * LINE + 2 * PAD_Y : none);
        const wide = (chars, none) => (chars ? (Math.max(chars, 4) + MARK) * char + 2 * PAD_X : none);
        const isDown = Boolean(model.columns.down);
        const along = isDown ? slots.lines.map((lines) => high(lines, 0)) : slots.chars.map((chars) => wide(chars, 0));
        const across = isDown
            ? slots.chars.map((chars) => wide(chars, PASSING))
            : slots.lines.map((lines) => high(lines, PASSING));
        const height = Float64Array.from(across);
        const width = Float64Array.from(along);
        const sizes = new Map();
        for (let at = 0; at < model.count; at++) {
            if (shown.visible[at]) {
                sizes.set(at, sizeOf(model, at, char, ports[at]));
                height[slot[at]] = Math.max(height[slot[at]], sizes.get(at)[1]);
            }
        }
        const middle = middles(model, active, height);
        if (isDown) {
            tilescope.parts.down.sortEnds(shown, middle, slot);
        }
        const columns = columnsOf(model, shown, active, width);
        const box = new Float64Array(4 * model.count);
        const all = [Infinity, Infinity, -Infinity, -Infinity];
        for (let at = 0; at < model.count; at++) {
            if (!shown.visible[at]) {
                continue;
            }
            const [w, h] = sizes.get(at);
            const layer = model.layerOf[at];
            const x = (columns.left[layer] + columns.right[layer] - w) / 2;
            const y = middle[slot[at]] - h / 2;
            box.set([x, y, w, h], 4 * at);
            all[0] = Math.min(all[0], x);
            all[1] = Math.min(all[1], y);
            all[2] = Math.max(all[2], x + w);
            all[3] = Math.max(all[3], y + h);
        }
        const places = {
            box, char, all: all[0] === Infinity ? [0, 0, 1, 1] : all,
            line: LINE, padX: PAD_X, padY: PAD_Y, font: FONT,
        };
        shown.edges.filter((edge) => !edge.isBack).forEach((edge) => wayOf(model, edge, places, columns, middle));
        if (isDown) {
            tilescope.parts.down.leadBack(model, shown, places, {active, middle, height});
            tilescope.parts.down.turn(places, shown);
        }
        const bounds = new Float32Array(4 * shown.edges.length);
        shown.edges.forEach((edge, rank) => bounds.set(boundsOf(edge), 4 * rank));
        return {...places, bounds};
    }

    ((window.tilescope ||= {}).parts ||= {}).places = {place, FONT};
})();
