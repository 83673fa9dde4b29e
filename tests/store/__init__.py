"""The store's tests: real SQLite files, in a folder of each test's own."""
