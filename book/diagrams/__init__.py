"""The diagrams of this book: one folder for each chapter; what several chapters use is next to them."""
