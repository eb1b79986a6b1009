"""Verified releases: written, read again by other means, recounted, then renamed."""
