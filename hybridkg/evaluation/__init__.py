"""Ranks of true answers under a stated protocol, and the metrics made of them."""
