"""Comments on pull requests and issues about regressions, on GitHub and GitLab."""
