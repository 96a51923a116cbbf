"""Simulated people, scenes of the embedded world and the demo: nothing here runs in a study of real people."""
