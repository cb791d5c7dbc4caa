/* A graph as the server sends it, and the part that is shown: folded nodes are left out, equal parts are one node. */
(function () {
    const FOLDED_FROM = 150;
    const BOX = [10, 34]; // lines, and characters of each, if the server sends no others
    const REMOVED = 3;

    /* Adds lists of numbers by key as two arrays: the items of key i are items[starts[i]] to items[starts[i + 1]]. */
    function listed(count, keys) {
        const starts = new Int32Array(count + 1);
        for (let i = 0; i < keys.length; i++) {
            starts[keys[i] + 1]++;
        }
        for (let i = 0; i < count; i++) {
            starts[i + 1] += starts[i];
        }
        const next = starts.slice();
        const items = new Int32Array(keys.length);
        for (let i = 0; i < keys.length; i++) {
            items[next[keys[i]]++] = i;
        }
        return {starts, items};
    }

    function cut(line, width) {
        return line.length > width ? line.slice(0, width - 1) + "…" : line;
    }

    /* The lines of a box: of a longer label the last one says how many are left out. */
    function boxLines(label, [most, width]) {
        const lines = label.split("\n");
        if (lines.length <= most) {
            return lines.map((line) => cut(line, width));
        }
        const left = lines.length - most + 1;
        return [...lines.slice(0, most - 1).map((line) => cut(line, width)), `… ${left} more`];
    }

    function build(columns) {
        const count = columns.names.length;
        const edges = columns.edges.length / 4;
        const column = (at) => Int32Array.from({length: edges}, (_, edge) => columns.edges[4 * edge + at]);
        const model = {
            count, columns,
            names: columns.names,
            index: new Map(columns.names.map((name, at) => [name, at])),
            from: column(0), to: column(1), port: column(2), ports: column(3),
            layerOf: new Int32Array(count),
            lines: new Array(count),
        };
        model.into = listed(count, model.to);
        model.outOf = listed(count, model.from);
        let first = 0;
        const layerOfSlot = new Int32Array(columns.slots.chars.length);
        columns.slots.layers.forEach((size, layer) => {
            layerOfSlot.fill(layer, first, first + size);
            first += size;
        });
        columns.slot.forEach((slot, at) => { model.layerOf[at] = layerOfSlot[slot]; });
        model.layerOfSlot = layerOfSlot;
        return model;
    }

    const linesOf = (model, at) => (model.lines[at] ||= boxLines(model.columns.label[at], model.columns.box || BOX));
    const opOf = (model, at) => {
        const label = model.columns.label[at];
        const end = label.indexOf("\n");
        return end < 0 ? label : label.slice(0, end);
    };

    /* Whether a graph begins with its repeats folded. */
    const beginsFolded = (model) => model.count > FOLDED_FROM && model.columns.repeats.length > 0;

    /* Mark the unused nodes and what they depend on, except below nodes that `isCut`; folded nodes have `standsFor`. */
    function reach(model, standsFor, isCut) {
        const seen = new Uint8Array(model.count);
        if (model.columns.down) {
            return seen.fill(1); // of a program's blocks nothing is folded
        }
        const waiting = [];
        for (let at = 0; at < model.count; at++) {
            if (model.outOf.starts[at] === model.outOf.starts[at + 1] && model.columns.change[at] !== REMOVED) {
                seen[at] = 1;
                waiting.push(at);
            }
        }
        while (waiting.length) {
            const at = waiting.pop();
            if (isCut(at)) {
                continue;
            }
            for (let i = model.into.starts[at]; i < model.into.starts[at + 1]; i++) {
                const operand = standsFor[model.from[model.into.items[i]]];
                if (!seen[operand] && model.columns.change[operand] !== REMOVED) {
                    seen[operand] = 1;
                    waiting.push(operand);
                }
            }
        }
        return seen;
    }

    /* `folding`: names of `folded` nodes, whether `repeats` are folded but those that are `opened` (names), and
       whether what was `removed` is shown. */
    function show(model, folding) {
        const standsFor = Int32Array.from({length: model.count}, (_, at) => at);
        const every = reach(model, standsFor, () => false);
        const cuts = new Set([...folding.folded].map((name) => model.index.get(name)).filter((at) => at !== undefined));
        const groups = [];
        if (folding.repeats) {
            for (const repeat of model.columns.repeats) {
                if (!folding.opened.has(model.names[repeat.members[0]])) {
                    repeat.members.forEach((member) => { standsFor[member] = repeat.members[0]; });
                    groups.push(repeat);
                }
            }
        }
        const visible = reach(model, standsFor, (at) => cuts.has(at));
        const own = standsFor.slice();
        const fold = new Int32Array(model.count);
        for (const at of cuts) {
            const left = reach(model, Int32Array.from(own.keys()), (other) => other === at);
            fold[at] = every.reduce((sum, is, other) => sum + (is && !left[other] ? 1 : 0), 0);
        }
        const shownGroups = groups.filter((group) => visible[group.members[0]]);
        shownGroups.forEach((group) => { fold[group.members[0]] = group.members.length; });
        const drawn = visible.reduce((sum, is) => sum + is, 0);
        if (folding.removed) {
            for (let at = 0; at < model.count; at++) {
                visible[at] = visible[at] || (model.columns.change[at] === REMOVED ? 1 : 0);
            }
        }
        const inAll = every.reduce((sum, is) => sum + is, 0);
        return {
            visible, standsFor, fold, cuts, groups: shownGroups, drawn, foldedAway: inAll - drawn,
            edges: shownEdges(model, visible, standsFor, cuts),
        };
    }

    /* One edge for each two nodes that are shown. */
    function shownEdges(model, visible, standsFor, cuts) {
        const found = new Map();
        for (let edge = 0; edge < model.from.length; edge++) {
            const from = standsFor[model.from[edge]];
            const to = model.to[edge];
            if (!visible[from] || !visible[to] || cuts.has(to)) {
                continue;
            }
            const key = from * model.count + to;
            const known = found.get(key);
            if (known) {
                known.ports += model.ports[edge];
            } else {
                found.set(key, {from, to, port: model.port[edge], ports: model.ports[edge]});
            }
        }
        return [...found.values()];
    }

    const parts = ((window.tilescope ||= {}).parts ||= {});
    parts.model = {build, show, linesOf, opOf, beginsFolded, listed, REMOVED};
})();
