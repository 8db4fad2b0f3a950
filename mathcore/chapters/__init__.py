"""What each chapter states; one module a chapter, named like its page with underscores."""
