"""The JVM profiles: their files, the runtime images that they are for, and the lint of every flag."""
