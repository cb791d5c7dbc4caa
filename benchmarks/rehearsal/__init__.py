"""Rehearsal of a team's installation at scale: users, ingests and alerts while parts are killed."""
