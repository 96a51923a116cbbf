"""Training of Hugging Face models by adapter: ``askew train --model hf:FOLDER``."""
