"""The news list loader: every link once, and what was stored first stays."""
