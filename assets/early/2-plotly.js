/* Plotly is large: it is fetched and run while the page waits for its layout, not after.

   Dash uses `window.Plotly` if it exists, and waits if it is a promise; the script then replaces it. */
(function () {
    const script = document.createElement("script");
    script.src = document.currentScript.dataset.plotly;
    script.async = true;
    window.Plotly = new Promise((resolve, reject) => {
        script.onload = () => resolve(window.Plotly);
        script.onerror = reject;
    });
    document.head.append(script);
})();
