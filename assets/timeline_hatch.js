/* Hatches of a timeline's bars, which share colours with bars that are solid. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const SIZE = 6; // pixels after which a hatch repeats
    const known = new Map();

    const LINES = {
        graph: [[3, 0, 3, 6]],
        copy: [[0, 0, 6, 6], [-3, 3, 3, 9], [3, -3, 9, 3]],
        slash: [[0, 6, 6, 0], [-3, 3, 3, -3], [3, 9, 9, 3]],
    };

    function tileOf(kind, colour, ratio) {
        const tile = document.createElement("canvas");
        tile.width = tile.height = SIZE * ratio;
        const pen = tile.getContext("2d");
        pen.scale(ratio, ratio);
        pen.strokeStyle = pen.fillStyle = colour;
        pen.lineWidth = 1.2;
        if (kind === "dots") {
            pen.fillRect(0, 0, 2, 2);
            pen.fillRect(3, 3, 2, 2);
        }
        for (const [x0, y0, x1, y1] of LINES[kind] || []) {
            pen.beginPath();
            pen.moveTo(x0, y0);
            pen.lineTo(x1, y1);
            pen.stroke();
        }
        return tile;
    }

    /* A pattern in a colour, for a canvas with so many device pixels per pixel. */
    function pattern(pen, kind, colour, ratio) {
        const key = `${kind} ${colour} ${ratio}`;
        if (!known.has(key)) {
            const made = pen.createPattern(tileOf(kind, colour, ratio), "repeat");
            made.setTransform(new DOMMatrix().scale(1 / ratio));
            known.set(key, made);
        }
        return known.get(key);
    }

    parts.hatch = {pattern};
})();
