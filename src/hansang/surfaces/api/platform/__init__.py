"""The platform as routes: people, keys, changes, jobs, usage, and whoever asks."""
