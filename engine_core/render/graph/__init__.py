"""Frame graph: pipeline files compiled to plans, without a GPU."""
