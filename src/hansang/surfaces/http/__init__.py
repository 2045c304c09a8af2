"""What the API and the console share of HTTP: the frame around both, and who is asking in which language."""
