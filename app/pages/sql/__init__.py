"""The SQL page: an editor, tables, examples and saved queries; results as grid, chart and file."""
