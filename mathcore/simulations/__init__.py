"""Monte-Carlo twins of the closed forms about chance; they share no code with the formulas."""
