/* Tiles of a page's timelines: the bars of a stretch of time at a level of detail, at an address that never changes.
   Level 0 is a tile with the whole run, each level cuts the tiles above it in half (components/timeline/tiles.py).
   Tiles near the window are cached; until a finer tile arrives, a coarser one is painted in its place. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const MAX_LEVEL = 32; // as components/timeline/tiles.py
    const MAX_KEPT = 96;
    const MAX_LOADING = 4;
    const RETRY_MS = 3000;
    const WHOLE = [0, 0];
    // A first zoom needs these; the figure itself has the whole run.
    const FIRST = [[1, 0], [1, 1]];
    const stores = new Map();

    /* The tiles of an address with their times moved by `shift` ticks, as a comparison moves its runs. */
    function storeOf({address, shift = 0}) {
        const key = `${address} ${shift}`;
        if (!stores.has(key)) {
            // A page shows few timelines: tiles of those that it no longer shows are dropped.
            [...stores.keys()].slice(0, -3).forEach((old) => stores.delete(old));
            stores.set(key, {address, shift, tiles: new Map(), loading: new Map(), wanted: [], quietUntil: 0});
        }
        return stores.get(key);
    }

    const keyOf = ([level, number]) => `${level}/${number}`;
    const parentOf = ([level, number]) => [level - 1, Math.floor(number / 2)];

    /* The level whose tiles are at most as wide as the window: two or three are in view. */
    function levelOf([first, last], width) {
        return Math.min(Math.max(Math.ceil(Math.log2((last - first) / Math.max(width, 1))), 0), MAX_LEVEL);
    }

    /** Places of a level from one time to another.
     * @returns {[number, number][]} */
    function placesIn([first, last], level, begin, end) {
        const width = (last - first) / 2 ** level;
        const within = (number) => Math.min(Math.max(number, 0), 2 ** level - 1);
        const from = within(Math.floor((begin - first) / width));
        const to = Math.max(within(Math.ceil((end - first) / width) - 1), from);
        return Array.from({length: to - from + 1}, (_, rank) => [level, from + rank]);
    }

    function spanOf([first, last], [level, number]) {
        const width = (last - first) / 2 ** level;
        return [first + Math.floor(number * width), first + Math.floor((number + 1) * width)];
    }

    /* The finest tile that is there for a place: {tile, level}, null without a value. */
    function finest(store, place) {
        for (let at = place; at[0] >= 0; at = parentOf(at)) {
            const tile = store.tiles.get(keyOf(at));
            if (tile) {
                return {tile, level: at[0]};
            }
        }
        return null;
    }

    /* A coarser tile without merged bars has all that a finer one would have. */
    function isThere(store, place) {
        const found = finest(store, place);
        return Boolean(found && (found.level === place[0] || found.tile.exact));
    }

    function keep(store, key, tile) {
        store.tiles.set(key, tile);
        for (const old of [...store.tiles.keys()].slice(0, -MAX_KEPT)) {
            store.tiles.delete(old);
        }
    }

    function decode(text, shift) {
        const record = JSON.parse(text);
        return {
            exact: record.exact,
            parts: record.parts.map((part) => parts.bars.partOf(part, record.origin + shift)),
            counters: (record.counters || []).map((values) => parts.counters.valuesOf(values, record.span[0] + shift)),
        };
    }

    async function load(store, place) {
        const key = keyOf(place);
        const control = new AbortController();
        store.loading.set(key, control);
        try {
            const answer = await fetch(`${store.address}/${key}`, {signal: control.signal});
            if (!answer.ok) {
                // 404: the run was read again, and this page is of before.
                store.quietUntil = answer.status === 404 ? Infinity : Date.now() + RETRY_MS;
                return;
            }
            keep(store, key, decode(await answer.text(), store.shift));
            parts.page.redraw();
        } catch {
            if (!control.signal.aborted) {
                store.quietUntil = Date.now() + RETRY_MS;
            }
        } finally {
            store.loading.delete(key);
            next(store);
        }
    }

    function next(store) {
        for (const place of store.wanted) {
            if (store.loading.size >= MAX_LOADING || Date.now() < store.quietUntil) {
                return;
            }
            if (!isThere(store, place) && !store.loading.has(keyOf(place))) {
                load(store, place);
            }
        }
    }

    /* Load the tiles of a window, then their neighbours; requests for tiles no longer near it are cancelled. */
    function want({tiles, extent}, [begin, end]) {
        const store = storeOf(tiles);
        const level = levelOf(extent, end - begin);
        const width = (extent[1] - extent[0]) / 2 ** level;
        const seen = placesIn(extent, level, begin, end);
        const near = placesIn(extent, level, begin - width, end + width);
        // A place without any tile gets the coarsest first.
        const whole = seen.some((place) => !finest(store, place)) ? [WHOLE] : [];
        store.wanted = [...whole, ...seen, ...near];
        const keys = new Set(store.wanted.map(keyOf));
        store.loading.forEach((control, key) => keys.has(key) || control.abort());
        next(store);
    }

    /* Loads the first levels, before a hand moves. */
    function wake({tiles}) {
        const store = storeOf(tiles);
        store.wanted = [...store.wanted, ...FIRST];
        next(store);
    }

    /* The stretches of a window from left to right: {span, tile, width}, `width` that of the tile in ticks; without a
       tile if there is none. `isFine`: no finer tile is waited for. */
    function stretches({tiles, extent}, [begin, end]) {
        const store = storeOf(tiles);
        return placesIn(extent, levelOf(extent, end - begin), begin, end).map((place) => {
            const found = finest(store, place);
            const width = found ? (extent[1] - extent[0]) / 2 ** found.level : Infinity;
            return {span: spanOf(extent, place), tile: found?.tile, width, isFine: isThere(store, place)};
        });
    }

    parts.tiles = {want, wake, stretches, levelOf, placesIn};
})();
