"""What follows from a design: its review, its document, its template, its cost."""
