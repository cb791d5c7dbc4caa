/* A banner while the server does not respond. Links are not followed meanwhile: the address stays that of the page. */
(function () {
    const PERIOD_MS = 1500;
    const AGAIN_MS = 1000;
    const LIMIT_MS = 20000;
    const TEXT = "The server does not answer. This page goes on, and links open, when it is back.";
    let isAway = false;

    const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const becomesVisible = () => new Promise((resolve) =>
        document.addEventListener("visibilitychange", resolve, {once: true}));

    async function answers() {
        try {
            const options = {
                cache: /** @type {RequestCache} */ ("no-store"),
                headers: {"X-Tilescope-Poll": "1"}, // the server's log leaves these requests out
                signal: AbortSignal.timeout(LIMIT_MS),
            };
            return (await fetch("/healthz", options)).ok;
        } catch {
            return false;
        }
    }

    function show(away) {
        const banner = document.getElementById("server-away");
        isAway = away;
        // A reader of the page's text announces a text that changes.
        if (banner) {
            banner.textContent = away ? TEXT : "";
        }
    }

    async function watch() {
        for (;;) {
            if (document.hidden) {
                await becomesVisible();
            }
            let isHere = await answers();
            if (!isHere && !isAway) {
                // A single request may fail, for example while the network changes.
                await pause(AGAIN_MS);
                isHere = await answers();
            }
            show(!isHere);
            await pause(isHere ? PERIOD_MS : AGAIN_MS);
        }
    }

    function leavesPage(link) {
        const isFile = link.hasAttribute("download") || link.target === "_blank";
        return link.origin === location.origin && !isFile && !link.getAttribute("href").startsWith("#");
    }

    // Before React, which would change the address at once.
    addEventListener("click", (/** @type {PressEvent} */ event) => {
        const link = /** @type {HTMLAnchorElement | null} */ (event.target.closest("a[href]"));
        if (isAway && link && leavesPage(link)) {
            event.preventDefault();
            event.stopImmediatePropagation();
        }
    }, true);

    watch();
})();
