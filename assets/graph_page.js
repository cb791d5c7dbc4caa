/* The graph of the open page: reads its columns from the address that the page names, follows the page's state, and
   writes to that state what people select, search and fold. */
(function () {
    const PATIENCE_MS = 4000;
    /* Fields of an address that another graph does not have. */
    const OF_OTHER_GRAPHS = ["step", "match", "node", "folded", "opened", "find", "block", "program", "trace", "wave"];
    const tilescope = (window.tilescope ||= {});
    const open = {};

    /* Write changes to the query of the page's address, by its store, which the address follows. */
    function askPage(changes) {
        let id;
        let query;
        try {
            id = `${tilescope.pageRoot().dataset.screen}-view`;
            query = new URLSearchParams(dash_component_api.getLayout(id).props.data || "");
        } catch {
            return false; // a file that was saved has no server
        }
        if (changes.context !== undefined) {
            OF_OTHER_GRAPHS.forEach((name) => query.delete(name));
        }
        for (const [name, value] of Object.entries(changes)) {
            if (value === null || value === "") {
                query.delete(name);
            } else {
                query.set(name, value);
            }
        }
        dash_clientside.set_props(id, {data: query.toString().replaceAll("%2C", ",")});
        return true;
    }

    /* Names of the nodes whose labels and tags have all words: what a file can tell without a server. */
    function findHere({columns, names, count}, words) {
        const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
        const text = (at) => `${columns.label[at]} ${columns.tags[at] || ""} %${names[at]}`.toLowerCase();
        const all = wanted.length ? [...Array(count).keys()] : [];
        return all.filter((at) => wanted.every((word) => text(at).includes(word))).map((at) => names[at]);
    }

    function observeAttributes(element, attributeFilter, callback) {
        new MutationObserver(callback).observe(element, {attributes: true, attributeFilter});
    }

    class PageGraph {
        constructor(root) {
            this.root = root;
            this.asked = {};
            this.view = new tilescope.parts.GraphView(root, (changes) => this.ask(changes));
            this.view.seek = (words) => this.seek(words);
            observeAttributes(root, ["data-state", "data-source"], () => this.follow());
            observeAttributes(document.documentElement, ["data-bs-theme"], () => this.view.restyle());
            this.follow();
        }

        /* Requested values hold until the page has the same values, or for a limited time if it never does. */
        ask(changes) {
            for (const name of Object.keys(changes)) {
                this.asked[name] = {value: JSON.stringify(changes[name]), at: Date.now()};
            }
            return askPage(changes);
        }

        isOverruled(name, value) {
            const asked = this.asked[name];
            if (!asked || asked.value === JSON.stringify(value) || Date.now() - asked.at > PATIENCE_MS) {
                delete this.asked[name];
                return false;
            }
            return true;
        }

        follow() {
            const {view} = this;
            const told = JSON.parse(this.root.dataset.state || "{}");
            for (const name of ["folded", "opened"]) {
                if (!this.isOverruled(name, (told[name] || []).join(","))) {
                    const changed = String([...view.folding[name]].sort()) !== String([...(told[name] || [])].sort());
                    view.folding[name] = new Set(told[name]);
                    if (changed && view.model) {
                        view.rearrange(view.selected);
                    }
                }
            }
            if (!this.isOverruled("node", told.node ?? null)) {
                view.wantedNode = told.node ?? null;
                if (view.model && view.selectedName !== view.wantedNode) {
                    view.light(view.model.index.get(view.wantedNode) ?? -1);
                    view.draw();
                }
            }
            this.followFound(told);
            if (this.root.dataset.source !== this.source) {
                this.load();
            }
        }

        followFound(told) {
            const {view} = this;
            if (this.isOverruled("find", told.find || "")) {
                return;
            }
            const isNew = view.words !== (told.find || "") || this.isSeeking;
            view.words = told.find || "";
            view.foundNames = told.found || [];
            if (view.model) {
                view.setFound(view.foundNames);
                if (isNew && this.isSeeking) {
                    view.hitNode = undefined;
                    view.hit = -1;
                    view.go(1);
                }
                view.draw();
            }
            this.isSeeking = false;
            this.waiting?.();
        }

        /* Finds words: the page knows which nodes have them. */
        seek(words) {
            if (words === this.view.words) {
                return this.view.draw();
            }
            this.isSeeking = Boolean(words);
            this.view.hitNode = undefined;
            if (!this.ask({find: words})) {
                delete this.asked.find;
                this.followFound({find: words, found: findHere(this.view.model, words)});
                return this.view.draw();
            }
            return new Promise((resolve) => {
                this.waiting = () => this.view.draw().then(resolve);
                setTimeout(resolve, PATIENCE_MS);
            });
        }

        async load() {
            const {view, root} = this;
            const source = root.dataset.source;
            this.source = source;
            view.isLoading = true;
            root.classList.add("ts-loading");
            const begin = performance.now();
            try {
                const text = await this.read(source);
                if (this.source !== source) {
                    return;
                }
                const read = performance.now();
                const columns = JSON.parse(text);
                view.spent = {fetch: read - begin, parse: performance.now() - read};
                const place = `${columns.context} ${columns.step} ${columns.program}`;
                view.take(columns, {keepsView: this.place === place});
                this.place = place;
            } catch (error) {
                view.controls.tell(`The graph could not be read: ${error.message}`);
            } finally {
                if (this.source === source) {
                    view.isLoading = false;
                    root.classList.remove("ts-loading");
                }
            }
        }

        async read(source) {
            const inFile = document.getElementById(`graph-data-${source}`);
            if (inFile) {
                return inFile.textContent;
            }
            const answer = await fetch(source, {credentials: "same-origin"});
            if (!answer.ok) {
                throw new Error(`the server answered ${answer.status}`);
            }
            return answer.text();
        }

        api() {
            const {view} = this;
            const node = (name) => (name === null ? -1 : view.model.index.get(name) ?? -1);
            return {
                state: () => view.state(), node: (name) => view.node(name), edges: () => view.edges(),
                fit: () => view.fit(), zoom: (k, at) => view.zoom(k, at),
                center: (name, k) => view.centerOn(view.shown.standsFor[node(name)], k ?? view.at.k),
                select: (name) => view.select(node(name)), find: (words) => this.seek(words),
                fold: (name) => view.fold(node(name)), repeats: (fold) => view.repeats(fold),
                timing: () => ({...view.spent, frames: [...view.frames]}),
            };
        }
    }

    /* The control flow of a program: the page calls its blocks nodes, and a search needs no server. */
    class PageFlow extends PageGraph {
        async load() {
            await super.load();
            this.followFound();
        }

        ask({node}) {
            this.followFound();
            return node === undefined || super.ask({block: node});
        }

        isOverruled(name, value) {
            return super.isOverruled(name === "node" ? "block" : name, value);
        }

        followFound() {
            tilescope.parts.flow.lightInCode(this.view, this.view.line);
        }

        seek(words) {
            const {view} = this;
            Object.assign(view, {words, hitNode: undefined, hit: -1});
            view.setFound(findHere(view.model, words));
            return view.go(1);
        }
    }

    /* The locks and flows of a design: the page selects tiles, of which the picture has several nodes each. */
    class PageDesign extends PageGraph {
        ask({node}) {
            if (node === undefined) {
                return false;
            }
            const tile = node === null ? null : this.tileOf(node);
            this.clicked = {tile, at: Date.now()};
            // In a run that is only a design the page selects a tile by its memory, if it has one.
            const {attempts} = this.view.model.columns;
            const attempt = attempts[tile] ?? null;
            const isOnlyDesign = Object.keys(attempts).length > 0;
            const track = isOnlyDesign && attempt !== null ? null : tile;
            return askPage(isOnlyDesign ? {track, attempt, block: null} : {track});
        }

        tileOf(node) {
            const {columns, index} = this.view.model;
            return columns.tiles[index.get(node)];
        }

        follow() {
            const state = JSON.parse(this.root.dataset.state || "{}");
            const {view} = this;
            const selected = view.model && view.selectedName !== null ? this.tileOf(view.selectedName) : null;
            const {clicked} = this;
            const isWaiting = clicked && clicked.tile !== state.tile && Date.now() - clicked.at < PATIENCE_MS;
            if (!isWaiting) {
                this.clicked = null;
                view.wantedNode = state.node ?? null;
                if (view.model && selected !== state.tile) {
                    view.light(view.model.index.get(view.wantedNode) ?? -1);
                    view.draw();
                }
            }
            if (this.root.dataset.source !== this.source) {
                this.load();
            }
        }

        seek(words) {
            const {view} = this;
            Object.assign(view, {words, hitNode: undefined, hit: -1});
            view.setFound(findHere(view.model, words));
            return view.go(1);
        }
    }

    /* Two graphs drawn over each other: their selection is not part of the page's state. */
    class PageDifference extends PageGraph {
        ask() {
            return false;
        }

        follow() {
            if (this.root.dataset.source !== this.source) {
                this.load();
            }
        }

        async load() {
            this.view.folding.removed = true;
            await super.load();
        }
    }

    const kinds = {graph: PageGraph, flow: PageFlow, difference: PageDifference, design: PageDesign};

    /* The page is laid out by React, and another page may take its place. */
    function look() {
        for (const [kind, Kind] of Object.entries(kinds)) {
            const root = document.querySelector(`[data-${kind}]`);
            if (root !== (open[kind]?.root ?? null)) {
                open[kind] = root ? new Kind(root) : null;
                root ? (tilescope[kind] = open[kind].api()) : delete tilescope[kind];
            }
        }
    }

    new MutationObserver(look).observe(document.documentElement, {childList: true, subtree: true});
    addEventListener("DOMContentLoaded", look);
})();
