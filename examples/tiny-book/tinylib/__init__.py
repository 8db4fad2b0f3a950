"""What the tiny book states: one package, one folder per chapter."""
