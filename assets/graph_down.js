/* Paths of the edges of a graph with layers from top to bottom: sides of boxes, jumps back, and the change of axes. */
(function () {
    const RAIL = 16; // from one jump back to the next
    const [LEAVES, ENTERS] = [8, 10]; // of jumps back, from the lower and upper edge of a box

    /* Where ways between blocks leave and arrive: side by side in the order of where they lead to and come from. */
    function sortEnds(shown, middle, slot) {
        for (const [own, share] of [["from", "leave"], ["to", "share"]]) {
            const byNode = new Map();
            for (const edge of shown.edges.filter((one) => !one.isBack)) {
                (byNode.get(edge[own]) || byNode.set(edge[own], []).get(edge[own])).push(edge);
            }
            const next = (edge) => middle[own === "from"
                ? edge.via[0] ?? slot[edge.to]
                : edge.via.at(-1) ?? slot[edge.from]];
            for (const edges of byNode.values()) {
                edges.sort((a, b) => next(a) - next(b));
                edges.forEach((edge, rank) => {
                    edge[share] = (rank + 1) / (edges.length + 1);
                });
            }
        }
    }

    /* Paths of jumps back, the shorter ones nearer to the boxes, left of all boxes in the layers that they pass. */
    function leadBack(model, shown, {box, all, line}, {active, middle, height}) {
        const least = new Float64Array(model.columns.slots.layers.length).fill(Infinity);
        active.forEach((is, slot) => {
            if (is) {
                const layer = model.layerOfSlot[slot];
                least[layer] = Math.min(least[layer], middle[slot] - height[slot] / 2);
            }
        });
        const span = (edge) => model.layerOf[edge.from] - model.layerOf[edge.to];
        const back = shown.edges.filter((edge) => edge.isBack).sort((a, b) => span(a) - span(b));
        const taken = new Map();
        const another = (node) => taken.set(node, (taken.get(node) ?? -1) + 1).get(node);
        for (const edge of back) {
            const layers = [];
            for (let layer = model.layerOf[edge.to]; layer <= model.layerOf[edge.from]; layer++) {
                layers.push(layer);
            }
            const rail = Math.min(...layers.map((layer) => least[layer])) - RAIL;
            layers.forEach((layer) => { least[layer] = rail; });
            all[1] = Math.min(all[1], rail);
            const begin = box[4 * edge.from] + box[4 * edge.from + 2] - LEAVES;
            const end = box[4 * edge.to] + ENTERS + line * another(edge.to);
            edge.way = [begin, box[4 * edge.from + 1], begin, rail, end, rail, end, box[4 * edge.to + 1]];
        }
    }

    /* Turns a drawing that goes from left to right so that it goes down. */
    function turn(places, shown) {
        const {box, all} = places;
        const swap = (list, from, step) => {
            for (let i = from; i + 1 < list.length; i += step) {
                [list[i], list[i + 1]] = [list[i + 1], list[i]];
            }
        };
        swap(box, 0, 2);
        swap(all, 0, 2);
        shown.edges.forEach((edge) => {
            swap(edge.way, 0, 2);
            const isLeft = edge.leave < 0.5;
            edge.labelAt = edge.isBack ? [edge.way[0] - 3, edge.way[1] - 4, "right"]
                : [edge.way[0] + (isLeft ? -4 : 4), edge.way[1] + 12, isLeft ? "right" : "left"];
        });
    }

    ((window.tilescope ||= {}).parts ||= {}).down = {sortEnds, leadBack, turn};
})();
