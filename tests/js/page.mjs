/* Runs scripts of assets/ as a page does, with as much of a browser as they need. */
import {readFileSync} from "node:fs";
import vm from "node:vm";

const ASSETS = new URL("../../assets/", import.meta.url);

/* A page that has run these scripts; `more` are further globals. `dispatch` calls the page's listeners of an event. */
export function pageWith(names, more = {}) {
    const listeners = [];
    const storage = new Map();
    const page = {
        addEventListener: (type, listener) => listeners.push({type, listener}),
        dispatch: (type, event) => listeners.filter((one) => one.type === type).forEach((one) => one.listener(event)),
        localStorage: {getItem: (name) => storage.get(name) ?? null, setItem: (name, text) => storage.set(name, text)},
        ...more,
    };
    page.window = page;
    vm.createContext(page);
    for (const name of names) {
        vm.runInContext(readFileSync(new URL(name, ASSETS), "utf8"), page, {filename: `assets/${name}`});
    }
    return page;
}

/* A copy with the arrays and objects of this module, which comparisons of values need. */
export const plain = (value) => JSON.parse(JSON.stringify(value));
