"""What a comparison, a chart by rate or a herd was found to take, as tables, files and pictures."""
