"""From a specification to trained instances in folders."""
