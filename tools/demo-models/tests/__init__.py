"""Tests of what makes the demo models: `tools/demo-models/make test`."""
