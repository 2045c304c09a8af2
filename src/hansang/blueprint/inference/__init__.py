"""From what a team already has to a design: live tables, deployment templates, Workbench models."""
