"""The commands of the news application."""
