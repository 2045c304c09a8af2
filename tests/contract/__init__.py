"""What every backend answers alike."""
