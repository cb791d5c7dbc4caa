"""How bisections are shown: sentences, the table of commits, the plot of their runs."""
