/* Links to a card of the page, such as `#map`: by a click, and in an address that is opened. The card comes below what
   is sticky, and stays there while plots and grids above it are drawn, until somebody scrolls, types or clicks. */
(function () {
    const STICKY = ".ts-top-bar, .ts-run-head, .ts-selection";
    const PATIENCE_MS = 20000;
    let target = null;
    let until = 0;

    /* Height in pixels of the sticky elements at the top of the window. */
    function covered() {
        const bottoms = [...document.querySelectorAll(STICKY)].map((element) => {
            const {position, top} = getComputedStyle(element);
            return position === "sticky" ? parseFloat(top) + element.getBoundingClientRect().height : 0;
        });
        return Math.max(0, ...bottoms);
    }

    const named = () => decodeURIComponent(location.hash.slice(1));

    function unfold(/** @type {Element} */ card) {
        for (let fold = card.closest("details"); fold; fold = fold.parentElement.closest("details")) {
            fold.open = true;
        }
    }

    function hold() {
        const card = target && document.getElementById(target);
        if (!card || Date.now() > until) {
            return;
        }
        unfold(card);
        card.style.scrollMarginTop = `${covered() + 8}px`;
        card.scrollIntoView({block: "start", behavior: "instant"});
    }

    function release() {
        target = null;
    }

    function jump() {
        target = named() || null;
        until = Date.now() + PATIENCE_MS;
        hold();
        // A link of Dash scrolls to the top after it has announced its address.
        requestAnimationFrame(hold);
    }

    addEventListener("click", (/** @type {PressEvent} */ event) => {
        const opener = event.target.closest("[data-opens]");
        const opened = opener && document.getElementById(opener.getAttribute("data-opens"));
        if (opened) {
            unfold(opened);
        }
        const link = event.target.closest("a[href^='#']");
        if (link && document.getElementById(link.getAttribute("href").slice(1))) {
            // Not by the browser: Dash would take the new address for a new page.
            event.preventDefault();
            history.pushState({}, "", link.getAttribute("href"));
            jump();
        }
    });
    for (const type of ["wheel", "touchstart", "keydown", "pointerdown"]) {
        addEventListener(type, release, {capture: true, passive: true});
    }
    addEventListener("beforeprint", () => {
        for (const fold of document.querySelectorAll("details.ts-fold")) {
            fold.setAttribute("open", "");
        }
    }, true);
    for (const type of ["popstate", "_dashprivate_pushstate"]) {
        addEventListener(type, jump);
    }

    /* The link to a card that is hidden, because it has nothing to show, is hidden too. */
    function follow(records) {
        for (const {target: card} of records) {
            if (card instanceof HTMLElement && card.dataset.view) {
                for (const link of document.querySelectorAll(`.ts-view-links [href="#${CSS.escape(card.id)}"]`)) {
                    link.toggleAttribute("hidden", Boolean(card.hidden));
                }
            }
        }
    }

    new MutationObserver(follow).observe(document.documentElement, {subtree: true, attributeFilter: ["hidden"]});
    (window.tilescope ||= {}).jumpToCard = jump;
    new ResizeObserver(hold).observe(document.documentElement);
    jump();
})();
