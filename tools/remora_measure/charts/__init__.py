"""Charts as descriptions in JSON, and the call of the Java program that draws them."""
