"""Suites of certified tasks, the parallel episode runner, scores with intervals, and the report."""
