"""What a release lost and what it still tells: one pure function per measure, over `Pairs`."""
