/* A graph on a canvas: nodes shown, view, highlighted nodes; and the functions that the page calls. */
(function () {
    const MAX_K = 4;
    const MARGIN = 24;
    const MAX_FRAMES = 120;
    const MAX_NAMES = 2000;
    const MAX_EDGES = 5000;
    const READABLE = 1;
    const [BELOW_BAR, BELOW_TWO] = [44, 74]; // where a graph that goes down begins, below one row of buttons or two
    const NARROW = 600;
    const NOTHING = {operands: new Set(), users: new Set()};
    const parts = ((window.tilescope ||= {}).parts ||= {});

    class GraphView {
        /* `ask` takes what the address is to have: node, words, what is folded, and which groups are opened. */
        constructor(root, ask) {
            this.root = root;
            this.ask = ask;
            this.at = {x: 0, y: 0, k: 1};
            this.size = [0, 0];
            this.ratio = 1;
            this.selected = -1;
            this.lit = NOTHING;
            this.found = new Set();
            this.hit = -1;
            this.words = "";
            this.model = null;
            this.places = null;
            this.frames = [];
            /** @type {{layout?: number, first?: number}} */
            this.spent = {};
            this.wantedNode = undefined;
            this.isLoading = false;
            this.folding = {folded: new Set(), opened: new Set(), repeats: null, removed: false};
            this.controls = parts.controls.build(this);
            this.canvas = this.controls.canvas;
            this.context = this.canvas.getContext("2d");
            this.colours = parts.colours.read(root);
            this.waiting = [];
            new ResizeObserver(() => this.resize()).observe(root);
            this.resize();
            // A printed sheet is drawn before the observer is called.
            addEventListener("ts-printing", () => root.isConnected && (this.resize(), this.paintNow()));
            parts.pointer.listen(this);
            parts.keys.listen(this);
        }

        resize() {
            const {clientWidth, clientHeight} = this.root;
            if (!clientWidth || (clientWidth === this.size[0] && clientHeight === this.size[1])) {
                return;
            }
            const begins = !this.size[0];
            this.ratio = Math.min(window.devicePixelRatio || 1, 2);
            this.size = [clientWidth, clientHeight];
            this.canvas.width = Math.round(clientWidth * this.ratio);
            this.canvas.height = Math.round(clientHeight * this.ratio);
            this.controls.placeMap();
            if (begins && this.places) {
                this.firstView();
            }
            this.draw();
        }

        restyle() {
            this.colours = parts.colours.read(this.root);
            this.density = this.mapPicture = null;
            this.controls.legend();
            this.draw();
        }

        /* Show another state. The view stays within a step; the selection stays by the name of its node. */
        take(columns, {keepsView = false} = {}) {
            const name = this.selectedName;
            const begin = performance.now();
            this.model = parts.model.build(columns);
            if (!keepsView || this.folding.repeats === null) {
                this.folding.repeats = parts.model.beginsFolded(this.model);
            }
            this.arrange(begin);
            this.light(this.model.index.get(name ?? this.wantedNode) ?? -1);
            this.setFound(this.foundNames || []);
            if (!keepsView) {
                this.firstView();
            }
            this.paintNow();
        }

        arrange(begin = performance.now()) {
            this.shown = parts.model.show(this.model, this.folding);
            this.places = parts.places.place(this.model, this.shown, this.context, this.colours.family);
            this.density = this.mapPicture = null;
            this.spent.layout = performance.now() - begin;
            this.controls.count();
        }

        /* Arrange the nodes again; the node with this number keeps its place on the screen. */
        rearrange(anchor) {
            const before = anchor >= 0 ? this.boxOf(anchor) : null;
            this.arrange();
            const after = anchor >= 0 && this.shown.visible[anchor] ? this.boxOf(anchor) : null;
            if (before && after) {
                this.at.x += before[0] - after[0];
                this.at.y += before[1] - after[1];
            }
            this.light(this.selected >= 0 && this.shown.visible[this.selected] ? this.selected : -1);
            return this.draw();
        }

        draw() {
            return new Promise((resolve) => {
                this.waiting.push(resolve);
                if (!this.frame) {
                    this.frame = requestAnimationFrame(() => this.paintNow());
                }
            });
        }

        paintNow() {
            cancelAnimationFrame(this.frame);
            this.frame = 0;
            const begin = performance.now();
            parts.paint.paint(this);
            const took = performance.now() - begin;
            this.spent.first ??= took;
            this.frames = [...this.frames.slice(1 - MAX_FRAMES), took];
            this.waiting.splice(0).forEach((resolve) => resolve());
        }

        fitScale() {
            const [x0, y0, x1, y1] = this.places.all;
            return Math.min((this.size[0] - 2 * MARGIN) / (x1 - x0), (this.size[1] - 2 * MARGIN) / (y1 - y0), READABLE);
        }

        fit() {
            if (this.places) {
                const [x0, y0, x1, y1] = this.places.all;
                const k = this.fitScale();
                this.at = {k, x: (this.size[0] - k * (x0 + x1)) / 2, y: (this.size[1] - k * (y0 + y1)) / 2};
            }
            return this.draw();
        }

        /* Show the whole graph if its boxes are readable then; else the selected node, a node of the match, or the
           root: the node in which the graph ends, or the block with which control flow begins. */
        firstView() {
            if (!this.size[0] || !this.places) {
                return;
            }
            if (parts.paint.levelOf(this.fitScale()) === "boxes") {
                this.fit();
                return;
            }
            const {change, root, down} = this.model.columns;
            const made = change.findIndex((is, at) => is === 1 && this.shown.visible[at]);
            const node = this.selected >= 0 ? this.selected : made >= 0 ? made : this.model.index.get(root);
            this.centerOn(this.shown.standsFor[node] ?? 0, READABLE);
            if (down && node === this.model.index.get(root)) {
                this.move(0, (this.size[0] > NARROW ? BELOW_BAR : BELOW_TWO) - this.boxOf(node)[1]);
            } else if (!down) {
                this.fillView();
            }
        }

        /* Move the graph so that as much of it as possible is in view: there is nothing to the right of its root. */
        fillView() {
            const [x0, y0, x1, y1] = this.places.all;
            const missing = (offset, begin, end, length) => {
                const [first, last] = [offset + begin * this.at.k - MARGIN, offset + end * this.at.k + MARGIN];
                if (last - first <= length) {
                    return (length - first - last) / 2;
                }
                return Math.max(length - last, 0) + Math.min(-first, 0);
            };
            return this.move(missing(this.at.x, x0, x1, this.size[0]), missing(this.at.y, y0, y1, this.size[1]));
        }

        centerOn(node, k) {
            const [x, y, w, h] = this.places.box.subarray(4 * node, 4 * node + 4);
            this.at = {k, x: this.size[0] / 2 - k * (x + w / 2), y: this.size[1] / 2 - k * (y + h / 2)};
            return this.draw();
        }

        zoom(k, [x, y] = [this.size[0] / 2, this.size[1] / 2]) {
            const next = Math.min(Math.max(k, Math.min(this.places ? this.fitScale() / 2 : 1, 1)), MAX_K);
            const there = [(x - this.at.x) / this.at.k, (y - this.at.y) / this.at.k];
            this.at = {k: next, x: x - next * there[0], y: y - next * there[1]};
            return this.draw();
        }

        move(dx, dy) {
            this.at = {k: this.at.k, x: this.at.x + dx, y: this.at.y + dy};
            return this.draw();
        }

        boxOf(node) {
            const [x, y, w, h] = this.places.box.subarray(4 * node, 4 * node + 4);
            const {x: left, y: top, k} = this.at;
            return [left + k * x, top + k * y, k * w, k * h];
        }

        nodeAt(x, y) {
            const [gx, gy] = [(x - this.at.x) / this.at.k, (y - this.at.y) / this.at.k];
            const {box} = this.places || {};
            const slack = 2 / this.at.k;
            for (let at = 0; box && at < this.model.count; at++) {
                if (this.shown.visible[at] && gx >= box[4 * at] - slack && gx <= box[4 * at] + box[4 * at + 2] + slack
                    && gy >= box[4 * at + 1] - slack && gy <= box[4 * at + 1] + box[4 * at + 3] + slack) {
                    return at;
                }
            }
            return -1;
        }

        /* The line of a box that is at a height of the picture. */
        lineAt(node, y) {
            const {padY, line} = this.places;
            const rank = Math.floor(((y - this.at.y) / this.at.k - this.places.box[4 * node + 1] - padY) / line);
            return Math.min(Math.max(rank, 0), parts.model.linesOf(this.model, node).length - 1);
        }

        get selectedName() {
            return this.selected >= 0 ? this.model.names[this.selected] : null;
        }

        light(node) {
            this.selected = node;
            const edges = node < 0 ? [] : this.shown.edges;
            this.lit = {
                operands: new Set(edges.filter((edge) => edge.to === node).map((edge) => edge.from)),
                users: new Set(edges.filter((edge) => edge.from === node).map((edge) => edge.to)),
            };
            this.controls.say(node);
        }

        /* Selects a node, and asks the page for its card; `line` is that of its box. */
        select(node, line = 0) {
            this.line = line;
            this.light(node);
            this.ask({node: this.selectedName});
            return this.draw();
        }

        fold(node) {
            if (this.model.columns.down) {
                return this.draw();
            }
            const name = this.model.names[node];
            const {folded, opened} = this.folding;
            const isGroup = opened.has(name) || this.shown.groups.some((group) => group.members[0] === node);
            const set = isGroup ? opened : folded;
            set.has(name) ? set.delete(name) : set.add(name);
            this.ask({[isGroup ? "opened" : "folded"]: [...set].sort((a, b) => a - b).join(",")});
            return this.rearrange(node);
        }

        repeats(fold) {
            this.folding.repeats = fold;
            this.folding.opened.clear();
            this.ask({opened: ""});
            this.controls.count();
            return this.rearrange(this.selected);
        }

        showRemoved(shows) {
            this.folding.removed = shows;
            return this.rearrange(this.selected);
        }

        setFound(names) {
            this.foundNames = names;
            const nodes = names.map((name) => this.model?.index.get(name)).filter((node) => node !== undefined);
            const shownNodes = nodes.map((node) => this.shown.standsFor[node]);
            this.found = new Set(shownNodes.filter((node) => this.shown.visible[node]));
            this.hits = nodes;
            this.hit = nodes.indexOf(this.hitNode);
            this.controls.findings();
        }

        /* Go to the next or previous match of the search, and open the group into which it is folded. */
        go(step) {
            if (!this.hits?.length) {
                return this.draw();
            }
            this.hit = (this.hit + step + this.hits.length + (this.hit < 0 && step < 0 ? 1 : 0)) % this.hits.length;
            this.hitNode = this.hits[this.hit];
            this.uncover(this.hitNode);
            this.controls.findings();
            return this.centerOn(this.shown.standsFor[this.hitNode], Math.max(this.at.k, READABLE));
        }

        uncover(node) {
            if (this.shown.visible[node]) {
                return;
            }
            this.folding.repeats = false;
            this.arrange();
            if (!this.shown.visible[node]) {
                this.folding.folded.clear();
                this.ask({folded: ""});
                this.arrange();
            }
            this.light(this.selected);
            this.setFound(this.foundNames);
        }

        /* Facts about the picture for tests and other scripts: names of nodes, pixels of the page. */
        state() {
            const {model, at, places} = this;
            const isReady = Boolean(model && places && this.size[0] && !this.frame && !this.isLoading);
            if (!model || !places) {
                return {ready: false, drawing: 0, nodes: 0, edges: 0, visible: [], found: [], groups: [], folded: []};
            }
            const level = parts.paint.levelOf(at.k);
            const name = (node) => model.names[node];
            const visible = parts.paint.inView(this).nodes.slice(0, MAX_NAMES);
            const lit = this.selected < 0 ? [] : this.shown.edges.filter(
                (edge) => edge.from === this.selected || edge.to === this.selected);
            const px = at.k * parts.places.FONT;
            return {
                ready: isReady, drawing: this.frame ? 1 : 0,
                nodes: this.shown.visible.reduce((sum, is) => sum + is, 0), edges: this.shown.edges.length,
                hidden: model.columns.total - model.columns.change.filter((is) => is !== parts.model.REMOVED).length,
                view: {...at}, size: [...this.size], level,
                text: {boxes: px, names: parts.paint.MIN_PX, far: 0}[level],
                background: this.colours.background, selected: this.selectedName,
                operands: [...this.lit.operands].map(name), users: [...this.lit.users].map(name),
                lit: lit.map((edge) => [name(edge.from), name(edge.to), edge.port]),
                found: this.foundNames || [], at: this.hit >= 0 ? name(this.hits[this.hit]) : null,
                folded: [...this.folding.folded],
                groups: this.shown.groups.map((group) => ({
                    name: name(group.members[0]), count: group.members.length, members: group.members.map(name)})),
                visible: visible.map(name),
                places: Object.fromEntries(visible.map((node) => [name(node), this.boxOf(node)])),
            };
        }

        node(wanted) {
            const at = this.model?.index.get(wanted);
            if (at === undefined || !this.shown.visible[at]) {
                return null;
            }
            const level = parts.paint.levelOf(this.at.k);
            const kind = parts.paint.kindOf(this, at);
            const outline = parts.paint.outlineOf(this, at).colour;
            const every = parts.model.linesOf(this.model, at);
            const named = level === "names" && parts.paint.fitsName(this, at) ? every.slice(0, 1) : [];
            const lines = level === "boxes" ? every : named;
            const {columns} = this.model;
            const fontPx = this.at.k * parts.places.FONT;
            return {
                op: parts.model.opOf(this.model, at), kind: columns.kinds[columns.kind[at]], lines,
                label: columns.label[at].split("\n"), box: this.boxOf(at),
                px: lines.length ? Math.max(parts.paint.MIN_PX, level === "boxes" ? fontPx : 0) : 0,
                text: level === "boxes" ? lines.map((_, rank) => this.lineBox(at, rank)) : [],
                fill: level === "far" ? kind.far : kind.fill, ink: kind.ink, outline,
                change: ["", "made", "rebuilt", "removed"][columns.change[at]], fold: this.shown.fold[at],
            };
        }

        lineBox(at, rank) {
            const [x, y, w] = this.boxOf(at);
            const {padX, padY, line, char} = this.places;
            const {k} = this.at;
            const length = parts.model.linesOf(this.model, at)[rank].length;
            const width = Math.min(k * length * char, w - 2 * k * padX);
            return [x + k * padX, y + k * (padY + rank * line), width, k * line];
        }

        edges() {
            const level = parts.paint.levelOf(this.at.k);
            const {x, y, k} = this.at;
            return parts.paint.inView(this).edges.slice(0, MAX_EDGES).map((rank) => {
                const edge = this.shown.edges[rank];
                const points = [];
                for (let i = 0; i < edge.way.length; i += 2) {
                    points.push([x + k * edge.way[i], y + k * edge.way[i + 1]]);
                }
                return {
                    operand: this.model.names[edge.from], user: this.model.names[edge.to], port: edge.port, points,
                    arrow: level !== "far", label: level === "boxes" ? parts.paint.labelOf(this.model, edge) : "",
                    lit: edge.from === this.selected || edge.to === this.selected,
                };
            });
        }
    }

    parts.GraphView = GraphView;
})();
