"""What sends requests, and what times them: the Java programs of the load test, wrk, and packet captures."""
