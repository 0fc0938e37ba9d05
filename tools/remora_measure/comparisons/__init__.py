"""What is compared with what: one module for each kind of comparison, which ./measure compare --what starts."""
