from schema.frames import FRAMES
from schema.page import markdown


def test_the_schema_in_words_names_every_frame_and_column():
    text = markdown()
    for spec in FRAMES.values():
        assert f"## {spec.name}\n" in text
        for column in spec.every:
            assert f"| `{column.name}` | {column.type} | {column.unit or '-'} | {column.meaning} |" in text
