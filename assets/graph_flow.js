/* Texts about a block of the control flow, and its place in the machine code next to it. */
(function () {
    const NAME = "ts-instruction";
    /* Blocks are known by their numbers, the nodes of a design by their first line. */
    const nameOf = ({model}, node) => (model.columns.pcs ? model.names[node] : tilescope.parts.model.opOf(model, node));
    const list = (view, nodes) => [...nodes].map((node) => nameOf(view, node)).join(" and ");

    /* The announcement about the selected block, for screen readers. */
    function words(view, node) {
        const {operands, users} = view.lit;
        return [tilescope.parts.model.opOf(view.model, node), operands.size && `from ${list(view, operands)}`,
            users.size && `to ${list(view, users)}`].filter(Boolean).join(", ");
    }

    /* The part of the listing that begins with an address, to the end of its line; null where it is not listed. */
    function rangeOf(listing, pc) {
        const walk = document.createTreeWalker(listing, NodeFilter.SHOW_TEXT);
        const line = new RegExp(`^(?: *[\\d.]+ %)? *${pc.toString(16)}  .*$`, "m");
        for (let text = walk.nextNode(); text; text = walk.nextNode()) {
            const found = line.exec(text.nodeValue);
            if (found) {
                const range = document.createRange();
                range.setStart(text, found.index);
                range.setEnd(text, found.index + found[0].length);
                return range;
            }
        }
        return null;
    }

    /* Lights the instruction of a line of the selected block in the machine code, and brings it into view there. */
    function lightInCode(view, line = 0) {
        const listing = document.querySelector(".ts-assembly");
        const pc = view.selected < 0 ? undefined : view.model?.columns.pcs[view.selected][line];
        if (!listing || !window.Highlight) {
            return;
        }
        const range = pc === undefined ? null : rangeOf(listing, pc);
        CSS.highlights.delete(NAME);
        if (range) {
            CSS.highlights.set(NAME, new Highlight(range));
            const lineBox = range.getBoundingClientRect();
            const listingBox = listing.getBoundingClientRect();
            listing.scrollTop += lineBox.top - listingBox.top - listing.clientHeight / 2; // and never the page
        }
    }

    ((window.tilescope ||= {}).parts ||= {}).flow = {words, lightInCode};
})();
