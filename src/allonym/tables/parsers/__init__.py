"""Libraries of others that parse files, in a process of their own."""
