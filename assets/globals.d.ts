/* What a page has besides the globals of browsers, and the events that its delegated listeners receive. */
interface Window {
    Plotly: any;
    dash_clientside: any;
    dashAgGridFunctions: any;
    dashAgGridComponentFunctions: any;
    tilescope: any;
    tilescopePage: Promise<Response>;
    tilescopeUpload: any;
}
declare var Plotly: any;
declare var dash_clientside: any;
declare var dash_ag_grid: any;
declare var dash_component_api: any;
declare var React: any;
declare var tilescope: any;

type FieldEvent = Event & {target: HTMLInputElement};
type PressEvent = MouseEvent & {target: HTMLElement};
type KeyPress = KeyboardEvent & {target: HTMLElement};
/* The element that plotly.js draws into. */
type PlotElement = HTMLElement & {data?: object[]; layout?: {shapes?: object[]; meta?: any}; _fullLayout?: any};
