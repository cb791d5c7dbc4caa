/* What is painted in a window: groups of layers from the lowest to the highest, {part, span, rowOf, faded}. `span` is
   the stretch of time in which the bars of a part are painted, `rowOf` maps rows of tiles to rows on the page (null:
   they are the same). At rest these are the bars of the figure; while it is moved, tiles where they are finer. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const PLAIN = ["event", "kernel", "left out"];

    const ofFigure = (part, span) => ({part, span, rowOf: null, faded: part.faded});

    /* Bars outside of the window are painted below its own bars, and do not change them. */
    function own(model, span = [-Infinity, Infinity]) {
        return [...model.parts].sort((one, other) => other.beside - one.beside).map((part) => ofFigure(part, span));
    }

    /* Whether the figure's bars are at least as fine as a tile, in its window and as far beside it. */
    function isFiner({window: [begin, end]}, {span, width}, [left, right]) {
        const reach = end - begin;
        const inside = Math.max(span[0], left) >= begin - reach && Math.min(span[1], right) <= end + reach;
        return inside && reach <= width;
    }

    function ofTile(model, {tile, span}) {
        return tile.parts.map((part) => ({part, span, rowOf: model.rowOf, faded: parts.fading.fadedOf(part, model)}));
    }

    /* Rows that tiles lack, and highlighted bars, are in the figure only. */
    function onlyInFigure(model, layers) {
        const untiled = new Set(model.tiles.rows.flatMap((number, row) => (number < 0 ? [row] : [])));
        return layers.flatMap((layer) => {
            if (!PLAIN.includes(layer.part.role)) {
                return [layer];
            }
            const lanes = layer.part.lanes.filter(({row}) => untiled.has(row));
            return lanes.length ? [{...layer, part: {...layer.part, lanes}}] : [];
        });
    }

    function isAtRest({window: [begin, end]}, {left, right}) {
        return Math.round(left) === begin && Math.round(right) === end;
    }

    const apart = (layers) => layers.map((layer) => [layer]);

    /* The stretches of a window with the tiles that are there, else with the bars of the figure. */
    function tiledLayers(model, stretches, seen, plain) {
        return stretches.flatMap((stretch) => {
            const isOwn = !stretch.tile || (!stretch.isFine && isFiner(model, stretch, seen));
            return isOwn ? plain.map((layer) => ({...layer, span: stretch.span})) : ofTile(model, stretch);
        });
    }

    /* Groups of layers of a window, its stretches if tiles are painted, and how many of them wait for a finer tile. */
    function of(model, view) {
        const seen = [view.left, view.right];
        if (!parts.tiles || !model.tiles?.address || isAtRest(model, view)) {
            return {groups: apart(own(model)), missing: 0, stretches: null};
        }
        const figure = own(model);
        const plain = figure.filter(({part}) => PLAIN.includes(part.role));
        const stretches = parts.tiles.stretches(model, seen);
        const tiled = tiledLayers(model, stretches, seen, plain);
        return {
            groups: [tiled, ...apart(onlyInFigure(model, figure))],
            missing: stretches.filter(({isFine}) => !isFine).length,
            stretches,
        };
    }

    parts.layers = {of, own};
})();
