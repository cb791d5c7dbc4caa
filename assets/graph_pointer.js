/* Pointer and fingers on a graph: the wheel zooms, drags move, clicks select, two fingers pinch. */
(function () {
    const WHEEL = 0.0015;
    const PINCH = 0.01;
    const LINE_PX = 16;
    const CLICK_PX = 4;

    function listen(view) {
        const {canvas} = view;
        const pointers = new Map();
        let drag = null;
        let pinch = null;

        const place = (event) => {
            const box = canvas.getBoundingClientRect();
            return [event.clientX - box.left, event.clientY - box.top];
        };

        /* The line of a box at the pointer, if lines can be read and have cards of their own; else 0. */
        const lineOf = (node, y) => (view.model.columns.cards && tilescope.parts.paint.levelOf(view.at.k) === "boxes"
            ? view.lineAt(node, y) : 0);

        canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            const delta = event.deltaY * (event.deltaMode === 1 ? LINE_PX : 1);
            view.zoom(view.at.k * Math.exp(-delta * (event.ctrlKey ? PINCH : WHEEL)), place(event));
        }, {passive: false});

        canvas.addEventListener("pointerdown", (event) => {
            pointers.set(event.pointerId, place(event));
            if (pointers.size === 2) {
                drag = null;
                pinch = spread(pointers);
            } else if (event.button === 0 && event.pointerType !== "touch") {
                drag = {from: place(event), last: place(event), moved: false};
            } else if (event.pointerType === "touch") {
                drag = {from: place(event), last: place(event), moved: false, isTouch: true};
            }
        });

        addEventListener("pointermove", (event) => {
            if (pointers.has(event.pointerId)) {
                pointers.set(event.pointerId, place(event));
            }
            if (pinch && pointers.size === 2) {
                const now = spread(pointers);
                view.move(now.x - pinch.x, now.y - pinch.y);
                view.zoom(view.at.k * now.distance / Math.max(pinch.distance, 1), [now.x, now.y]);
                pinch = now;
            } else if (drag && !drag.isTouch) {
                const [x, y] = place(event);
                drag.moved ||= Math.hypot(x - drag.from[0], y - drag.from[1]) > CLICK_PX;
                if (drag.moved) {
                    view.move(x - drag.last[0], y - drag.last[1]);
                    drag.last = [x, y];
                    view.controls.hover(-1);
                }
            } else if (event.target === canvas) {
                const [x, y] = place(event);
                const node = view.nodeAt(x, y);
                canvas.style.cursor = node < 0 ? "grab" : "pointer";
                view.controls.hover(node, node < 0 ? 0 : lineOf(node, y));
            }
        });

        const end = (event) => {
            pointers.delete(event.pointerId);
            pinch = null;
            if (drag && !drag.moved && event.type === "pointerup") {
                const [x, y] = place(event);
                const node = view.nodeAt(x, y);
                const line = node < 0 ? 0 : lineOf(node, y);
                if (node !== view.selected || line !== view.line) {
                    view.select(node, line);
                }
                view.root.focus({preventScroll: true});
            }
            drag = null;
        };
        addEventListener("pointerup", end);
        addEventListener("pointercancel", end);
        canvas.addEventListener("pointerleave", () => view.controls.hover(-1));
        canvas.addEventListener("dblclick", (event) => {
            const node = view.nodeAt(...place(event));
            node < 0 ? view.fit() : view.fold(node);
        });
        listenOnMap(view);
    }

    function spread(pointers) {
        const [[x0, y0], [x1, y1]] = [...pointers.values()];
        return {x: (x0 + x1) / 2, y: (y0 + y1) / 2, distance: Math.hypot(x1 - x0, y1 - y0)};
    }

    /* Dragging in the map moves the view. */
    function listenOnMap(view) {
        const {map} = view.controls;
        const go = (event) => {
            const box = view.root.getBoundingClientRect();
            const {scale, x, y} = tilescope.parts.far.mapScale(view);
            const [gx, gy] = [(event.clientX - box.left - x) / scale, (event.clientY - box.top - y) / scale];
            view.at = {k: view.at.k, x: view.size[0] / 2 - view.at.k * gx, y: view.size[1] / 2 - view.at.k * gy};
            view.draw();
        };
        map.addEventListener("pointerdown", (event) => {
            map.setPointerCapture(event.pointerId);
            go(event);
        });
        map.addEventListener("pointermove", (event) => event.buttons && go(event));
        map.addEventListener("wheel", (event) => {
            event.preventDefault();
            view.zoom(view.at.k * Math.exp(-event.deltaY * WHEEL));
        }, {passive: false});
    }

    ((window.tilescope ||= {}).parts ||= {}).pointer = {listen};
})();
