"""Weekly leaderboards of a game: everyone, and one's friends."""
