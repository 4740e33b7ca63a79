"""Studies of finished rank tables: groups, oracle, schema audit."""
