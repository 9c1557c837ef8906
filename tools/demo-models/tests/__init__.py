"""Tests of what makes the demo models: `tools/demo-models/make test`, or `test-all` with those that train."""
