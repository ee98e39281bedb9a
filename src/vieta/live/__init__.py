"""A live stream of sets: lines, schedule, checkpoints."""
