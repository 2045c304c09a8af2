"""The console: pages that the server renders, for people with a browser."""
