"""Text × pool → the most similar texts of the pool: certified LASSO, seven text metrics, cosine."""
