"""Settings of every test."""

from hypothesis import settings

# A machine under load is slow, not wrong. What `make test` says of a commit never changes; `make fuzz` explores.
settings.register_profile("tilescope", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("tilescope")
