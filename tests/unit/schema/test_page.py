from schema.frames import FRAMES
from schema.page import markdown


def test_the_schema_in_words_names_every_frame_and_column():
    for spec in FRAMES.values():
        rows = markdown().split(f"## {spec.name}\n")[1].split("\n## ")[0].splitlines()
        for column in spec.every:
            (row,) = {line for line in rows if line.startswith(f"| `{column.name}` |")}
            assert f"| {column.type} | {column.unit or '-'} |" in row
            assert row.endswith(f"{column.meaning} |")
            assert all(f"`{word}`" in row for word in column.words)
