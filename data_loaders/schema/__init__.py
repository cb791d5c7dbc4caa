"""The frames of the one schema, by what they are about; `data_loaders.frames` has them all."""
