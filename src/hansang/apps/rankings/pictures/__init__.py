"""Pictures of rankings, drawn on the server: the card that is shared, and what the bot answers with."""
