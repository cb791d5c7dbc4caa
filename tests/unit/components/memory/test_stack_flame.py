"""The caption of the call stacks of what is alive."""

import pandas as pd

from components.memory.stack_flame import stacks_caption


def test_names_of_calls_are_text_and_not_escaped_for_figures():
    by_stack = pd.DataFrame({"stack": [0], "total": [64], "blocks": [1]})
    sentence = stacks_caption(by_stack, {0: ["a.py:1 <module>", "a.py:9 <lambda>"]}, "At step 1")
    assert "a.py:9 <lambda>" in sentence
    assert "a.py:1 <module>" in sentence
