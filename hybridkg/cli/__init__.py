"""The command line: each command parses, calls a public function, and prints."""
