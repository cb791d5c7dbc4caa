"""Words such as `inf` outside of texts, which are no JSON."""

import json

import pytest

from data_loaders.reading.bare_words import name_bare_words, null_bare_words

WORDS = ["inf", "-inf", "nan", "-nan", "NaN", "Infinity", "+inf", "-nan(ind)", "1.#QNAN", "-1.#IND"]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("form", ['{"a": %s}', '{"a":%s, "b": 1}', "[1,%s]", '{"a": [ %s ,2]}'])
def test_a_word_becomes_null(word, form):
    text = form % word
    expected = json.loads(form % "null")
    assert json.loads(null_bare_words(text.encode())) == expected
    same_length = name_bare_words(text)
    assert len(same_length) == len(text)
    assert json.loads(same_length, parse_constant=lambda _: None) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "lr: inf, nan"}',
        r'{"a": "quoted \": inf,"}',
        '{"inf": 1, "nan": 2}',
        '{"a": "x", "b": 1.5}',
        '{"a": info}',
    ],
)
def test_texts_and_other_words_stay(text):
    block = text.encode()
    assert null_bare_words(block) == block
    assert name_bare_words(text) == text


def test_a_word_behind_a_text_with_such_a_word_is_replaced():
    assert json.loads(null_bare_words(b'{"a": "b: inf ]", "c": inf}')) == {
        "a": "b: inf ]",
        "c": None,
    }


def test_open_texts_and_backslashes_take_linear_time():
    # A pattern with quadratic time would take hours for these.
    for text in ('"' * 10**6, '"' + "\\" * 10**6, ": inf," + '"\\\n' * 10**5, ": inf" * 10**5):
        assert null_bare_words(text.encode()) is not None
