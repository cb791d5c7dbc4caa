/* The whole graph as one picture, made once: the density of edges when zoomed out, and the map in the corner. */
(function () {
    const MAX_PX = 2000;
    const ALPHA = [0.05, 0.5];
    const MANY = 4000;

    /* A canvas with all edges, nearly transparent where there are many, and its scale. */
    function densityOf(view) {
        if (view.density) {
            return view.density;
        }
        const [x0, y0, x1, y1] = view.places.all;
        const scale = Math.min(MAX_PX / (x1 - x0), MAX_PX / (y1 - y0), 0.5);
        const canvas = document.createElement("canvas");
        canvas.width = Math.max(1, Math.ceil((x1 - x0) * scale));
        canvas.height = Math.max(1, Math.ceil((y1 - y0) * scale));
        const context = canvas.getContext("2d");
        context.setTransform(scale, 0, 0, scale, -x0 * scale, -y0 * scale);
        context.strokeStyle = view.colours.muted;
        context.lineWidth = 1 / scale;
        const {edges} = view.shown;
        context.globalAlpha = Math.max(ALPHA[0], ALPHA[1] * Math.min(1, (MANY / Math.max(edges.length, 1)) ** 0.5 / 2));
        const STEP = 500;
        for (let begin = 0; begin < edges.length; begin += STEP) {
            context.beginPath();
            for (const {way} of edges.slice(begin, begin + STEP)) {
                context.moveTo(way[0], way[1]);
                for (let i = 2; i < way.length; i += 2) {
                    context.lineTo(way[i], way[i + 1]);
                }
            }
            context.stroke();
        }
        view.density = {canvas, scale};
        return view.density;
    }

    function paintDensity(view) {
        const {context, at: {x, y, k}, places: {all}} = view;
        const {canvas, scale} = densityOf(view);
        context.drawImage(canvas, x + k * all[0], y + k * all[1], canvas.width * k / scale, canvas.height * k / scale);
    }

    /* Scale and offset of the map in its box. */
    function mapScale(view) {
        const [x0, y0, x1, y1] = view.places.all;
        const [left, top, width, height] = view.mapBox;
        const scale = Math.min((width - 8) / (x1 - x0), (height - 8) / (y1 - y0));
        return {
            scale,
            x: left + (width - scale * (x1 - x0)) / 2 - scale * x0,
            y: top + (height - scale * (y1 - y0)) / 2 - scale * y0,
        };
    }

    function drawMap(view, map) {
        const [left, top, width, height] = view.mapBox;
        const canvas = document.createElement("canvas");
        canvas.width = Math.ceil(width * view.ratio);
        canvas.height = Math.ceil(height * view.ratio);
        const context = canvas.getContext("2d");
        context.setTransform(view.ratio, 0, 0, view.ratio, -left * view.ratio, -top * view.ratio);
        context.fillStyle = view.colours.raised;
        context.fillRect(left, top, width, height);
        const {box} = view.places;
        for (let at = 0; at < view.model.count; at++) {
            if (view.shown.visible[at]) {
                const change = view.model.columns.change[at];
                context.fillStyle = change === 1 ? view.colours.made : tilescope.parts.paint.kindOf(view, at).far;
                context.fillRect(map.x + map.scale * box[4 * at], map.y + map.scale * box[4 * at + 1],
                    Math.max(1, map.scale * box[4 * at + 2]), Math.max(1, map.scale * box[4 * at + 3]));
            }
        }
        return canvas;
    }

    /* The map: the whole graph, and a frame around the part in view. */
    function paintMap(view) {
        const {context, size, at: {x, y, k}} = view;
        const map = mapScale(view);
        const [left, top, width, height] = view.mapBox;
        view.mapPicture ||= drawMap(view, map);
        context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
        context.drawImage(view.mapPicture, left, top, width, height);
        context.save();
        context.beginPath();
        context.rect(left, top, width, height);
        context.clip();
        context.strokeStyle = view.colours.selected;
        context.lineWidth = 2;
        const scale = map.scale / k;
        context.strokeRect(map.x - scale * x, map.y - scale * y, scale * size[0], scale * size[1]);
        context.restore();
        context.strokeStyle = view.colours.border;
        context.lineWidth = 1;
        context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
    }

    ((window.tilescope ||= {}).parts ||= {}).far = {paintDensity, paintMap, mapScale};
})();
