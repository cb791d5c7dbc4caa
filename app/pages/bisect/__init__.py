"""The pages of bisections: their list with a form to start one, and the page of each."""
