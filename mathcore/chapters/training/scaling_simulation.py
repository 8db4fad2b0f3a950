"""Draws of a fitted law's constants: what the optimum becomes when they are a little different.

No derivative is used: constants are drawn, the best size is computed for each draw.
"""
