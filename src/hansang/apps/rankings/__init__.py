"""Daily rankings of the players of a game."""
