"""The real hosts, each with its configuration, its way to be driven, and its names for the tools every one of them has."""
