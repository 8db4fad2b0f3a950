"""The diagrams of this book: one folder for each chapter; what several chapters use lies beside them."""
