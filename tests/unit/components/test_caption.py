from components.caption import Caption, Jump
from tests.support.numbers_in_text import numbers_in

TILE = Jump("core 2,0", "track", "core 2,0")
ITERATION = Jump("iteration 3", "iteration", 3)


def test_an_answer_is_its_sentence():
    answer = Caption("iteration 3 is slow on core 2,0.", TILE, ITERATION)
    assert numbers_in(answer) == ["3", "2", "0"]
    assert type(str(answer)) is str


def test_its_parts_are_in_the_order_of_the_sentence():
    answer = Caption("On core 2,0 iteration 3 is slow.", ITERATION, TILE)
    assert answer.parts() == ["On ", TILE, " ", ITERATION, " is slow."]


def test_words_that_come_twice_lead_to_two_things():
    other = Jump("core 2,0", "track", "another core 2,0")
    assert Caption("core 2,0 after core 2,0", TILE, other).parts() == [TILE, " after ", other]


def test_what_the_sentence_does_not_say_is_no_link():
    assert Caption("Nothing.", TILE, Jump("", "track", "x")).parts() == ["Nothing."]
