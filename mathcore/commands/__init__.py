"""What the commands of `python -m mathcore` say: a statement in words, and the report on all of them."""
