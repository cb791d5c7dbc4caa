/* Download of a timeline: the canvas is added to plotly's picture, which lacks it. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});

    /* The plot's area of its canvas as a picture. */
    function pictureOf(plot) {
        const view = parts.layer.viewOf(plot);
        const [x, y, width, height] = [view.x0, view.y0, view.width, view.height].map((size) => size * view.ratio);
        const cut = Object.assign(document.createElement("canvas"), {width, height});
        cut.getContext("2d").drawImage(plot.querySelector(".ts-bars"), x, y, width, height, 0, 0, width, height);
        return cut.toDataURL();
    }

    /* The figure of a plot with its bars, on the ground of the page. */
    function figureOf(plot) {
        const {panel} = parts.layer.barsOf(plot).look;
        const {width, height} = plot._fullLayout;
        const image = {
            source: pictureOf(plot), xref: "paper", yref: "paper", x: 0, y: 1, sizex: 1, sizey: 1,
            sizing: "stretch", layer: "below",
        };
        const layout = {...plot.layout, images: [image], paper_bgcolor: panel, width, height};
        return {data: plot.data, layout};
    }

    function save(plot) {
        return Plotly.downloadImage(figureOf(plot), plot._context.toImageButtonOptions);
    }

    function follow(plot) {
        plot.addEventListener("click", (event) => {
            const button = event.target.closest(".modebar-btn");
            if (button && button === plot.querySelector(".modebar-btn")) {
                event.stopPropagation();
                save(plot);
            }
        }, true);
    }

    parts.saving = {follow, figureOf};
})();
