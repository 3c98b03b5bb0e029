"""Animation: clips, what they may change, their files, and how they are made small and played."""
