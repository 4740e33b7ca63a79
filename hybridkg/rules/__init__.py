"""Rule sets: their files, the miner and the applier."""
