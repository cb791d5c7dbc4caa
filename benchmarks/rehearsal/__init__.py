"""A rehearsal of a team's installation at scale: people, ingests and alerts while parts are killed and restarted."""
