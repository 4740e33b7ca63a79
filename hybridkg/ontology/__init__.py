"""Axioms, their normal form, the deductive closure, and what the schema says of a candidate."""
