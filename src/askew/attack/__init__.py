"""Automatic attacks on the question's text: goal · constraints · proposals · search, and recipes that join them.

An attack is an :class:`askew.attack.attack_parts.Attack`; ``recipes.py`` has one function per paper. This stage knows
no model: ``engine/attack_run.py`` and its neighbours run the searches, apply the constraints and ask the model.
"""
