"""What is played through the real hosts, and what has to come of it."""
