"""One module for each program that a user starts, with its command line and its exit status."""
