"""Claims: what published texts say, each computed again; one module for each text."""
