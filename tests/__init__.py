"""Tests, one folder a room; a package, so that rooms can share `doubles`."""
