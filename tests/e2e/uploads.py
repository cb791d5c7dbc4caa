"""Files chosen in the upload dialog."""


def choose_files(page, *paths, what="Choose files"):
    """Open the upload dialog, if it is closed, and choose files by its button `what`."""
    if not page.locator("#upload").is_visible():
        page.locator("#upload-open").click()
    with page.expect_file_chooser() as chooser:
        page.locator("#upload").get_by_role("button", name=what).click()
    chooser.value.set_files([str(path) for path in paths])
