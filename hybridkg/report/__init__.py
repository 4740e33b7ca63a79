"""Tables for people; computes nothing."""
