"""What the world speaks to: HTTP, HTML and the command line, with no rule of any application."""
