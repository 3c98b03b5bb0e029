"""Picture comparison: measures, difference pictures, reports, golden pictures and render tests."""
