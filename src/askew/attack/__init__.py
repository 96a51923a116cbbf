"""Automatic attacks on the question's text: goal, constraints, proposals and search, combined in recipes.

An attack is an :class:`askew.attack.attack_parts.Attack`; ``recipes.py`` has one function per paper. This package never
calls a model: ``engine/attack_run.py`` and its neighbours run the searches, apply the constraints and query the model.
"""
