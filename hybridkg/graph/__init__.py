"""Vocabularies, triples, splits, and the readers that fill them."""
