"""What a Rendered viewport shows: its view, the frame on its way to the screen, and messages."""
