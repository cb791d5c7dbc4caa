/* Plotly is large: it is fetched and run while the page waits for its layout, not after.

   Dash takes `window.Plotly` where there is one, and waits for a promise; the script itself then replaces it. */
(function () {
    const config = JSON.parse(document.getElementById("_dash-config").textContent);
    const script = document.createElement("script");
    script.src = config.requests_pathname_prefix + "_dash-component-suites/plotly/package_data/plotly.min.js";
    script.async = true;
    window.Plotly = new Promise((resolve, reject) => {
        script.onload = () => resolve(window.Plotly);
        script.onerror = reject;
    });
    document.head.append(script);
})();
