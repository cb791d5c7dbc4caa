/* The buttons that fold and pin the lanes of a timeline (app/views/lane_menu.py): the heads of views are not
   drawn again, so that the browser presses the buttons which the page's state names. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});

    /* Whether the number of a button's track is in its field of the state. */
    function isPressed(view, {of, track}) {
        return (view.get(of) || "").split(",").includes(String(track));
    }

    function follow(query) {
        const view = new URLSearchParams(query || "");
        for (const button of document.querySelectorAll(".ts-lane button[id]")) {
            const id = JSON.parse(button.id);
            const wanted = String(isPressed(view, id));
            if (button.getAttribute("aria-pressed") !== wanted) {
                dash_clientside.set_props(id, {"aria-pressed": wanted});
            }
        }
    }

    parts.lanes = {follow, isPressed};
})();
