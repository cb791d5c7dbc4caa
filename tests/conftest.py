"""Settings of every test."""

from hypothesis import settings

# A machine under load is slow, not wrong.
settings.register_profile("tilescope", deadline=None)
settings.load_profile("tilescope")
