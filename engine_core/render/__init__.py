"""The frame: device, frame graph, pipelines, draw queues, WorldRenderer."""
