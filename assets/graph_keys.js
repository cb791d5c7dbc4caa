/* Keys of a graph that has the focus: to operands, users and neighbours, zoom, folding, the search field. */
(function () {
    const ZOOM = 1.3;

    function inLayer(view, step) {
        const {model, shown, places, selected} = view;
        const own = [...model.layerOf.keys()].filter(
            (at) => shown.visible[at] && model.layerOf[at] === model.layerOf[selected]);
        const side = model.columns.down ? 0 : 1;
        own.sort((a, b) => places.box[4 * a + side] - places.box[4 * b + side]);
        return own[own.indexOf(selected) + step] ?? selected;
    }

    /* Selects a node and brings it into view. */
    function goTo(view, node) {
        if (node === undefined || node < 0) {
            return;
        }
        view.select(node);
        const [x, y, w, h] = view.boxOf(node);
        if (x < 0 || y < 0 || x + w > view.size[0] || y + h > view.size[1]) {
            view.centerOn(node, view.at.k);
        }
        view.controls.hover(node);
    }

    function actionsOf(view) {
        const first = (nodes) => [...nodes][0];
        const selected = view.selected >= 0;
        const begin = () => view.model.index.get(view.model.columns.root);
        const to = (find) => () => goTo(view, selected ? find() : view.shown.standsFor[begin()]);
        const [back, on] = [to(() => first(view.lit.operands)), to(() => first(view.lit.users))];
        const [before, after] = [to(() => inLayer(view, -1)), to(() => inLayer(view, 1))];
        const arrows = view.model.columns.down ? [before, after, back, on] : [back, on, before, after];
        return {
            ArrowLeft: arrows[0], ArrowRight: arrows[1], ArrowUp: arrows[2], ArrowDown: arrows[3],
            "+": () => view.zoom(view.at.k * ZOOM), "=": () => view.zoom(view.at.k * ZOOM),
            "-": () => view.zoom(view.at.k / ZOOM), 0: () => view.fit(), " ": () => view.fit(),
            f: () => selected && view.fold(view.selected),
            "/": () => view.controls.field.focus(),
            Escape: () => { view.controls.hover(-1); view.select(-1); },
            Enter: () => selected && view.model.columns.contexts[view.selected] !== undefined
                && view.ask({context: view.model.columns.contexts[view.selected]}),
        };
    }

    function listen(view) {
        view.root.addEventListener("keydown", (event) => {
            const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
            if (event.target.closest("input, button") || !isPlain || !view.model) {
                return;
            }
            const action = actionsOf(view)[event.key];
            if (action) {
                event.preventDefault();
                event.stopPropagation();
                action();
            }
        });
        view.root.addEventListener("focus", () => view.selected >= 0 && view.controls.hover(view.selected));
        view.root.addEventListener("blur", () => view.controls.hover(-1));
    }

    ((window.tilescope ||= {}).parts ||= {}).keys = {listen};
})();
