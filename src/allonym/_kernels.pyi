"""Types of the compiled extension; its sources are in `cpp/`."""

INTERFACE: int
