/* Set the theme before the first paint: the theme last chosen, else that of the system. */
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
