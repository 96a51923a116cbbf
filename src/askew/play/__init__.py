"""The playground: a local page to ask a model about an image, and to see what changed questions do to its answers."""
