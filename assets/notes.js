/* The notes of a run: the form opens with the saved text, and gets the focus. */
(function () {
    const no_update = () => dash_clientside.no_update;

    function notesEdit(edit, cancel, saved) {
        const context = dash_clientside.callback_context;
        if (!context.triggered[0]?.value) {
            return [no_update(), no_update(), no_update()];
        }
        const opens = context.triggered_id === "run-notes-edit";
        // After the form is shown or hidden: a hidden field cannot get the focus.
        setTimeout(() => document.getElementById(opens ? "run-notes-text" : "run-notes-edit")?.focus());
        return [!opens, saved || "", ""];
    }

    window.dash_clientside = window.dash_clientside || {};
    dash_clientside.tilescope = Object.assign(dash_clientside.tilescope || {}, {notesEdit});
})();
