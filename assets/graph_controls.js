/* Controls on a graph: buttons, search field, card of a node, frame of the map, announcements for screen readers. */
(function () {
    /** @type {[string, string, string][]} */
    const BUTTONS = [
        ["fit", "Fit", "fit the whole graph (0)"], ["in", "+", "zoom in (+)"], ["out", "−", "zoom out (-)"],
        ["repeats", "×n", "fold equal parts"], ["removed", "went", "show what the match removed"],
        ["legend", "Key", "what colours and marks mean"], ["svg", "SVG", "save what is in view as SVG"],
        ["png", "PNG", "save what is in view as PNG"],
    ];
    const MAP = [190, 120];
    const NARROW = 600;
    const CHANGES = [["made", "made by the match"], ["rebuilt", "rebuilt"], ["removed", "removed"]];

    function add(parent, tag, className, more = {}) {
        const element = Object.assign(document.createElement(tag), {className});
        Object.entries(more).forEach(([name, value]) => element.setAttribute(name, value));
        parent.append(element);
        return element;
    }

    function button(parent, view, [what, text, title]) {
        const attributes = {"data-graph-do": what, type: "button", title, "aria-label": title};
        const made = add(parent, "button", "ts-button", attributes);
        made.textContent = text;
        made.addEventListener("click", () => act(view, what));
    }

    function act(view, what) {
        const {k} = view.at;
        const actions = {
            fit: () => view.fit(), in: () => view.zoom(k * 1.3), out: () => view.zoom(k / 1.3),
            repeats: () => view.repeats(!view.folding.repeats), removed: () => view.showRemoved(!view.folding.removed),
            next: () => view.go(1), previous: () => view.go(-1),
            legend: () => { view.controls.key.hidden = !view.controls.key.hidden; },
            svg: () => tilescope.parts.saving.svg(view), png: () => tilescope.parts.saving.png(view),
        };
        actions[what]();
        view.controls.press();
    }

    function findField(view, bar) {
        const field = add(bar, "input", "ts-graph-find", {
            "data-graph-find": "", type: "search", placeholder: "find operation, argument or text",
            "aria-label": "find nodes"});
        button(bar, view, ["previous", "‹", "previous node found (Shift+Enter)"]);
        button(bar, view, ["next", "›", "next node found (Enter)"]);
        const found = add(bar, "span", "ts-muted", {"data-graph-found": ""});
        field.addEventListener("keydown", (event) => {
            event.stopPropagation();
            if (event.key === "Enter") {
                event.preventDefault();
                const wanted = field.value.trim();
                if (wanted === view.words) {
                    view.go(event.shiftKey ? -1 : 1);
                } else {
                    view.seek(wanted);
                }
            } else if (event.key === "Escape") {
                field.value = "";
                view.seek("");
                view.root.focus();
            }
        });
        return {field, found};
    }

    function build(view) {
        const {root} = view;
        const canvas = add(root, "canvas", "ts-graph-canvas");
        const bar = add(root, "div", "ts-graph-bar");
        BUTTONS.forEach((one) => button(bar, view, one));
        const right = add(root, "div", "ts-graph-bar ts-graph-seek");
        const {field, found} = findField(view, right);
        const count = add(root, "div", "ts-graph-count ts-muted", {"data-graph-count": ""});
        const key = add(root, "div", "ts-graph-key");
        key.hidden = true;
        const card = add(root, "div", "ts-graph-card", {"data-graph-card": ""});
        card.hidden = true;
        const map = add(root, "div", "ts-graph-map", {"data-graph-map": "", "aria-hidden": "true"});
        const said = add(root, "div", "visually-hidden", {"data-graph-said": "", "aria-live": "polite"});
        const made = {canvas, bar, field, found, key, card, map, act: (what) => act(view, what)};
        return Object.assign(made, {
            placeMap: () => placeMap(view, map),
            count: () => tellCount(view, count, made),
            press: () => press(view, bar),
            findings: () => tellFound(view, found, field),
            say: (node) => { said.textContent = node < 0 ? "" : words(view, node); },
            hover: (node, line) => hover(view, card, node, line),
            legend: () => legend(view, key),
            tell: (sentence) => { count.textContent = sentence; },
        });
    }

    /* Of a large graph, and of a small one that is not readable as a whole. */
    function needsMap(view) {
        const {levelOf, MAP_FROM} = tilescope.parts.paint;
        return view.model.count >= MAP_FROM ||
            (!view.model.columns.down && view.places && levelOf(view.fitScale()) !== "boxes");
    }

    function placeMap(view, map) {
        const [width, height] = view.size;
        const isShown = width > NARROW && view.model && needsMap(view);
        map.hidden = !isShown;
        view.mapBox = isShown ? [width - MAP[0] - 8, height - MAP[1] - 8, ...MAP] : null;
    }

    function tellCount(view, element, controls) {
        const {shown, model} = view;
        const kept = model.columns.change.filter((is) => is !== tilescope.parts.model.REMOVED).length;
        const parts = [`${shown.drawn} drawn`];
        if (shown.foldedAway) {
            parts.push(`${shown.foldedAway} folded`);
        }
        if (model.columns.down) {
            parts.push(`${model.columns.total} ${model.columns.noun || "blocks"} in all`);
        } else {
            parts.push(`${model.columns.total - kept} in labels or left out`, `${model.columns.total} in all`);
        }
        element.textContent = parts.join(" · ");
        controls.placeMap();
        controls.press();
        controls.legend();
    }

    function press(view, bar) {
        const {repeats, removed} = view.folding;
        const set = (what, is, there) => {
            const one = bar.querySelector(`[data-graph-do=${what}]`);
            one.setAttribute("aria-pressed", String(Boolean(is)));
            one.disabled = !there;
            one.hidden = Boolean(view.model?.columns.down);
        };
        set("repeats", repeats, view.model?.columns.repeats.length);
        set("removed", removed, view.model?.columns.change.includes(tilescope.parts.model.REMOVED));
    }

    function tellFound(view, found, field) {
        const count = view.foundNames?.length ?? 0;
        found.textContent = !view.words ? "" : !count ? "nothing found"
            : view.hit >= 0 ? `${view.hit + 1} of ${view.hits.length}` : `${count} found`;
        if (document.activeElement !== field && field.value !== view.words) {
            field.value = view.words;
        }
    }

    /* The announcement about the selected node, for screen readers. */
    function words(view, node) {
        const {columns} = view.model;
        if (columns.down) {
            return tilescope.parts.flow.words(view, node);
        }
        const type = columns.types[columns.type[node]];
        const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
        return [tilescope.parts.model.opOf(view.model, node), type,
            count(columns.operands[node], "operand"), count(view.lit.users.size, "user")].filter(Boolean).join(", ");
    }

    function cardText(view, node) {
        const {columns} = view.model;
        const group = view.shown.groups.find((one) => one.members[0] === node);
        const users = view.shown.edges.filter((edge) => edge.from === node).length;
        const lines = [columns.label[node]];
        if (columns.tags[node]) {
            lines.push(`tag ${columns.tags[node]}`);
        }
        if (columns.spaces?.[node]) {
            lines.push(`address space: ${columns.spaces[node]}`);
        }
        if (columns.pattern && columns.change[node] === 1) {
            lines.push(`made by ${columns.pattern}`);
        }
        if (group) {
            lines.push(`${group.members.length} equal parts${group.differ ? `; ${group.differ}` : ""}`);
        }
        return [...lines, `used by ${users}`].join("\n");
    }

    /* Put the card next to its node, inside the picture; the card of a block is about one line. */
    function hover(view, card, node, line = 0) {
        card.hidden = node < 0;
        if (node < 0) {
            return;
        }
        const shown = `${view.model.names[node]} ${line}`;
        if (card.dataset.shown !== shown) {
            card.dataset.shown = shown;
            card.textContent = view.model.columns.cards?.[node][line] ?? cardText(view, node);
        }
        const [x, y, w, h] = view.boxOf(node);
        const [width, height] = [card.offsetWidth, card.offsetHeight];
        const right = x + w + 10;
        const left = right + width <= view.size[0] ? right : Math.max(4, x - width - 10);
        card.style.left = `${Math.min(left, Math.max(4, view.size[0] - width - 4))}px`;
        card.style.top = `${Math.min(Math.max(4, y + h / 2 - height / 2), Math.max(4, view.size[1] - height - 4))}px`;
    }

    function legend(view, key) {
        key.replaceChildren();
        const {kinds, change} = view.model?.columns || {kinds: [], change: []};
        for (const kind of kinds) {
            const row = add(key, "div", "");
            const mark = add(row, "span", "ts-graph-swatch");
            mark.style.background = view.colours.kinds[kind]?.fill;
            mark.style.borderColor = view.colours.kinds[kind]?.outline;
            row.append(kind);
        }
        CHANGES.forEach(([what, text], rank) => {
            if (change.includes(rank + 1)) {
                const row = add(key, "div", "");
                add(row, "span", `ts-graph-swatch ts-graph-${what}`);
                row.append(text);
            }
        });
    }

    ((window.tilescope ||= {}).parts ||= {}).controls = {build, act};
})();
