"""What takes a minute in all: parts, tables and pages, and one small run of the conformance test."""
