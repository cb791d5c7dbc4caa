/* Theme, dialogs, keys of every page, copying the link. */
(function () {
    const root = document.documentElement;
    const no_update = () => dash_clientside.no_update;

    function theme(clicks) {
        if (clicks) {
            root.dataset.bsTheme = root.dataset.bsTheme === "dark" ? "light" : "dark";
            document.cookie = "tilescope-theme=" + root.dataset.bsTheme + "; path=/; samesite=lax; max-age=31536000";
        }
        return root.dataset.bsTheme;
    }

    /**
     * The element around a page; its data name the page.
     *
     * @returns {HTMLElement | null}
     */
    const pageRoot = () => document.querySelector("[data-screen]");
    (window.tilescope ||= {}).pageRoot = pageRoot;

    const toggle = (clicks, open) => (clicks ? !open : no_update());

    /* The keys of every page, and those of the page that is open: by the name at its root, else by its address. */
    function keysOfPage(open, ids) {
        const named = pageRoot()?.dataset.screen;
        const page = named || location.pathname.split("/").pop() || "landing";
        return ids.map((id) => id.page !== "every" && id.page !== page);
    }

    function tell(sentence) {
        dash_clientside.set_props("toast", {is_open: true, children: sentence});
    }

    function go(href) {
        history.pushState({}, "", href);
        dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
        scrollTo(0, 0);
    }

    /* A saved address of a page that moved is replaced: with a further entry, Back would lead here again. */
    function forward(href) {
        if (href) {
            history.replaceState({}, "", href);
            dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
        }
        return no_update();
    }

    async function copyText(text) {
        if (navigator.clipboard) {
            return navigator.clipboard.writeText(text);
        }
        // Plain HTTP has no clipboard API.
        const area = Object.assign(document.createElement("textarea"), {value: text});
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
    }

    function copyLink() {
        copyText(location.href).then(
            () => tell("The link to this view is in the clipboard."),
            () => tell("The browser did not let the link be copied; it is in the address bar."));
    }

    function copyShown(/** @type {string} */ text) {
        copyText(text).then(
            () => tell("The text is in the clipboard."),
            () => tell("The browser did not let the text be copied; select it and copy it."));
    }

    const typing = (target) => target.closest(
        "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable=true]");
    const click = (id) => document.getElementById(id)?.click();
    const KEYS = {
        "/": () => document.getElementById("search")?.focus(),
        "?": () => click("help-open"),
        u: () => click("upload-open"),
        t: () => click("theme-toggle"),
    };

    addEventListener("keydown", (/** @type {KeyPress} */ event) => {
        if (event.key === "Escape" && event.target.id === "search") {
            event.target.blur();
        }
        const action = KEYS[event.key];
        if (action && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target)) {
            event.preventDefault();
            action();
        }
    });

    addEventListener("click", (/** @type {PressEvent} */ event) => {
        if (event.target.closest(".copy-link")) {
            copyLink();
        }
        const text = event.target.closest("[data-copy]")?.getAttribute("data-copy");
        if (text) {
            copyShown(text);
        }
        if (event.target instanceof HTMLAnchorElement && event.target.id === "sign-in") {
            event.target.href = "/auth/login?" + new URLSearchParams({next: location.pathname + location.search});
        }
    });

    /* If the session has ended, show a message instead of a page that no longer reacts; Dash gets a response without
       changes. */
    const NOTHING = 204;
    const send = window.fetch;
    window.fetch = (...asked) => send(...asked).then((answer) => {
        if (answer.status !== 401 || !String(asked[0]).includes("_dash-update-component")) {
            return answer;
        }
        tell("You are no longer signed in: load this page again.");
        return new Response(null, {status: NOTHING});
    });

    /* Who may not upload drops nothing here, and does not leave the page by it either. */
    for (const type of ["dragenter", "dragleave", "dragover", "drop"]) {
        addEventListener(type, (/** @type {DragEvent} */ event) => {
            if (event.dataTransfer?.types.includes("Files") && !document.getElementById("upload-open")) {
                event.stopImmediatePropagation();
                event.preventDefault();
            }
        }, true);
    }

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {
        theme, toggle, keysOfPage, tell, go, forward,
    });
})();
