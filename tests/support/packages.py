"""The packages of the product, for tests that read its source."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "analysis",
    "app",
    "components",
    "data_loaders",
    "ingest",
    "schema",
    "services",
    "storage",
    "tilescope",
)
