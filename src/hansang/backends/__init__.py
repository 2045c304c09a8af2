"""Where a request goes: the engine in this process, AWS, or something between."""
