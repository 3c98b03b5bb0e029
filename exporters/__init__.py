"""Writers of levels, desktop builds and web pages."""
