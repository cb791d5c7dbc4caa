from dash import html

from components.html_text import html_text


def test_texts_and_attributes_are_escaped():
    link = html.A(["a <b>"], href='https://x.example/"><script>', rel="noopener")
    assert html_text([link, "<i>"]) == (
        '<a href="https://x.example/&quot;&gt;&lt;script&gt;" rel="noopener">a &lt;b&gt;</a>&lt;i&gt;'
    )


def test_links_to_the_server_are_text():
    assert html_text([html.P(["see ", html.A("run", href="/run/1")])]) == "<p>see run</p>"


def test_elements_nest_and_empty_ones_have_no_end():
    parts = [html.Ol([html.Li(["a", html.Br(), "b"]), html.Li()], start="3")]
    assert html_text(parts) == '<ol start="3"><li>a<br>b</li><li></li></ol>'


def test_other_properties_are_left_out():
    assert html_text([html.Span("x", id="a", className="b")]) == "<span>x</span>"
