/* The theme last chosen, else the one the system asks for, before the first paint. */
(function () {
    let chosen = null;
    try {
        chosen = JSON.parse(localStorage.getItem("theme"));
    } catch {
        // Storage may be switched off; the system's wish decides.
    }
    if (chosen !== "light" && chosen !== "dark") {
        chosen = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    }
    document.documentElement.dataset.bsTheme = chosen;
    // The server draws a page's first plots before it hears of the store.
    document.cookie = "tilescope-theme=" + chosen + "; path=/; samesite=lax; max-age=31536000";
})();
