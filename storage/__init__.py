"""The run catalogue (SQL tables) and the frame store (Parquet files)."""
