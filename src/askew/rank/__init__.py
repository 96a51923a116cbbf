"""Text × pool → the pool's texts, nearest first: certified LASSO, seven text metrics, cosine."""
