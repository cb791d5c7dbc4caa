/* Saves the part of a graph in view as SVG or PNG. */
(function () {
    const ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"};
    const escape = (text) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

    function save(blob, ending) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = `graph.${ending}`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }

    /* Records the calls of a canvas as the path of an SVG. */
    function path(edge) {
        const parts = [];
        tilescope.parts.paint.trace({
            moveTo: (...at) => parts.push(`M${at.join(" ")}`), lineTo: (...at) => parts.push(`L${at.join(" ")}`),
            bezierCurveTo: (...at) => parts.push(`C${at.join(" ")}`),
        }, edge, true);
        return parts.join("");
    }

    function boxText(view, at) {
        const {places, model} = view;
        const [x, y, w, h] = places.box.subarray(4 * at, 4 * at + 4);
        const kind = tilescope.parts.paint.kindOf(view, at);
        const {colour, width, dash} = tilescope.parts.paint.outlineOf(view, at);
        const lines = tilescope.parts.model.linesOf(model, at).map((line, rank) =>
            `<text x="${x + places.padX}" y="${y + places.padY + (rank + 0.75) * places.line}" fill="${kind.ink}"`
            + `${rank ? "" : ' font-weight="bold"'} xml:space="preserve">${escape(line)}</text>`);
        return `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${kind.fill}" stroke="${colour}"`
            + ` stroke-width="${width}" stroke-dasharray="${dash.join(" ")}"/>${lines.join("")}`;
    }

    /* The colour of an edge: edges of the selected node differ by their direction. */
    function colourOf({selected, colours}, edge) {
        if (edge.to === selected) {
            return colours.operand;
        }
        return edge.from === selected ? colours.user : colours.muted;
    }

    function svgText(view) {
        const {nodes, edges} = tilescope.parts.paint.inView(view);
        const {colours, size: [width, height], at: {x, y, k}} = view;
        const ways = edges.map((rank) => view.shown.edges[rank]).map((edge) => {
            const colour = colourOf(view, edge);
            return `<path d="${path(edge)}" fill="none" stroke="${colour}" marker-end="url(#arrow)"/>`;
        });
        const boxes = nodes.map((at) => boxText(view, at));
        return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="monospace"`
            + ` font-size="${view.places.font}"><defs>`
            + `<marker id="arrow" viewBox="0 0 7 7" refX="7" refY="3.5" markerWidth="7"`
            + ` markerHeight="7" orient="auto"><path d="M0 0L7 3.5L0 7z" fill="${colours.muted}"/></marker></defs>`
            + `<rect width="100%" height="100%" fill="${colours.background}"/>`
            + `<g transform="translate(${x} ${y}) scale(${k})">${ways.join("")}${boxes.join("")}</g></svg>`;
    }

    const svg = (view) => save(new Blob([svgText(view)], {type: "image/svg+xml"}), "svg");
    const png = (view) => view.canvas.toBlob((blob) => blob && save(blob, "png"));

    ((window.tilescope ||= {}).parts ||= {}).saving = {svg, png, svgText};
})();
