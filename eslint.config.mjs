import js from "@eslint/js";
import globals from "globals";

/* What the page has besides the browser's own globals: Dash, its grid, React, Plotly, and what the scripts share. */
const OF_PAGE = {
    Plotly: "readonly",
    React: "readonly",
    dash_ag_grid: "readonly",
    dash_clientside: "writable",
    dash_component_api: "readonly",
    tilescope: "readonly",
};

export default [
    {ignores: ["assets/vendor/", "build/", ".venv*/", "client/", "deploy/"]},
    js.configs.recommended,
    {
        files: ["assets/**/*.js"],
        languageOptions: {sourceType: "script", globals: {...globals.browser, ...OF_PAGE}},
        rules: {
            "curly": "error",
            "eqeqeq": "error",
            "no-unused-vars": ["error", {args: "none", caughtErrors: "none"}],
            "no-var": "error",
            "prefer-const": "error",
            "no-implicit-globals": "error",
            "no-shadow": ["error", {builtinGlobals: false}],
            "max-len": ["error", {code: 120}],
        },
    },
    {
        files: ["tests/js/**/*.mjs", "benchmarks/*.mjs", "eslint.config.mjs"],
        languageOptions: {globals: globals.node},
    },
];
